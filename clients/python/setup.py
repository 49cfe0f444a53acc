"""For Debian's setuptools without a build front end; everything is said in pyproject.toml."""
from setuptools import setup

setup()
