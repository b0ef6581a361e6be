"""Makes the wheel. scripts/wheel calls it, in a folder where the shared libraries stand beside the modules."""

import os

from setuptools import Distribution, setup
from wheel.bdist_wheel import bdist_wheel


class WithLibraries(Distribution):
    """Modules that stand beside compiled code."""

    def has_ext_modules(self):
        return True


class AnyPython(bdist_wheel):
    """A wheel for every Python 3 of one platform: the library is loaded by ctypes, and not compiled for a Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


setup(
    name="copse",
    version=os.environ["COPSE_VERSION"],
    description="Rays and nearest points of triangle meshes, on a GPU or on the CPU, equal bit for bit",
    license="MIT",
    license_files=["licenses/*"],
    packages=["copse"],
    package_data={"copse": ["py.typed", "*.so.*"]},
    python_requires=">=3.9",
    install_requires=["numpy>=1.22"],
    zip_safe=False,
    distclass=WithLibraries,
    cmdclass={"bdist_wheel": AnyPython},
)
