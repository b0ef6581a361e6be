#pragma once

// tinygltf, compiled for Copse without pictures and under a namespace of ours. So a program that compiles tinygltf
// too does not define its functions twice.

#define tinygltf copse_tinygltf
#define TINYGLTF_NO_STB_IMAGE
#define TINYGLTF_NO_STB_IMAGE_WRITE
#define TINYGLTF_NO_EXTERNAL_IMAGE
#define TINYGLTF_NO_INCLUDE_JSON

#include <tiny_gltf.h>
