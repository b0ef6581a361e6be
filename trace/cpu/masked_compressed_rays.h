#pragma once

#include "trace/cpu/trace_rays.h"
