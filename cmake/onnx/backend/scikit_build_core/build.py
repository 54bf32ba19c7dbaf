"""Answers pip's question for onnx's metadata, so that `pip download` of its sources needs no build tools.

pip asks the build backend of a source distribution for its metadata even when it only downloads it. With
--no-build-isolation and this folder on PYTHONPATH it asks us, and nothing else is fetched or run.
"""

import os


def get_requires_for_build_wheel(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    with open("VERSION_NUMBER", encoding="utf-8") as file:
        version = file.read().strip()
    info = f"onnx-{version}.dist-info"
    os.makedirs(os.path.join(metadata_directory, info), exist_ok=True)
    with open(os.path.join(metadata_directory, info, "METADATA"), "w", encoding="utf-8") as file:
        file.write(f"Metadata-Version: 2.1\nName: onnx\nVersion: {version}\n")
    return info
