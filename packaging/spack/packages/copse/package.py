from spack.package import *


class Copse(CMakePackage, CudaPackage):
    """Acceleration structures for ray tracing, on CUDA and on the CPU, equal bit for bit."""

    license("MIT")
    # `spack dev-build copse@0.1.0` builds the folder in which it is called.
    version("0.1.0")

    variant("shared", default=True, description="Build the shared library too")
    variant("tools", default=True, description="Build the command copse")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("glm")
    depends_on("intel-oneapi-tbb")
    depends_on("highway")
    depends_on("zlib-api")
    depends_on("xxhash")
    depends_on("stb")
    depends_on("tinygltf")
    depends_on("nlohmann-json")
    depends_on("cli11", when="+tools")
    depends_on("fmt", when="+tools")
    depends_on("cuda@12:", when="+cuda")
    conflicts("%gcc@:11", msg="Copse is C++20 and needs GCC 12 or newer")
    for architecture in ("50", "52", "53", "60", "61", "62", "70", "72"):
        conflicts(f"cuda_arch={architecture}", msg="the kernels need architecture 75 or newer")

    def cmake_args(self):
        arguments = [
            self.define_from_variant("COPSE_CUDA", "cuda"),
            self.define_from_variant("COPSE_SHARED", "shared"),
            self.define_from_variant("COPSE_CLI", "tools"),
            self.define("COPSE_VIEWER", False),
            self.define("COPSE_BUILD_TESTS", False),
            self.define("COPSE_BUILD_EXAMPLES", False),
        ]
        architectures = self.spec.variants["cuda_arch"].value if self.spec.satisfies("+cuda") else ("none",)
        if "none" not in architectures:
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", ";".join(architectures)))
        return arguments
