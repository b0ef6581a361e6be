#pragma once

#include "trace/cpu/masked_rays.h"
