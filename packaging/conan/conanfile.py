import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy


class CopseConan(ConanFile):
    name = "copse"
    version = "0.1.0"
    license = "MIT"
    description = "Acceleration structures for ray tracing, on CUDA and on the CPU, equal bit for bit"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "cuda": [True, False]}
    default_options = {"shared": False, "cuda": False}

    def export_sources(self):
        """Takes the checkout that the recipe stands in, without its build folders."""
        root = os.path.join(self.recipe_folder, "..", "..")
        copy(self, "*", root, self.export_sources_folder, excludes=("build/*", ".git/*"))

    def requirements(self):
        self.requires("glm/1.0.1", transitive_headers=True)
        self.requires("onetbb/2021.12.0", transitive_headers=True)
        self.requires("highway/1.2.0")
        self.requires("zlib/1.3.1")
        self.requires("xxhash/0.8.2")
        self.requires("stb/cci.20240531")
        self.requires("tinygltf/2.9.0")
        self.requires("nlohmann_json/3.11.3")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["COPSE_CUDA"] = "ON" if self.options.cuda else "OFF"
        toolchain.cache_variables["COPSE_CUDA_RELEASE_ARCHITECTURES"] = "ON"
        toolchain.cache_variables["COPSE_SHARED"] = "ON" if self.options.shared else "OFF"
        for part in ("BUILD_TESTS", "BUILD_EXAMPLES", "CLI", "VIEWER"):
            toolchain.cache_variables[f"COPSE_{part}"] = "OFF"
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()

    def package_info(self):
        # Copse brings its own files for CMake, with its parts as components.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "copse")]
