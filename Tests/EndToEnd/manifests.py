"""Renders a kustomization and holds it, and the Secret beside it, against Kubernetes' own schemas.

Takes the folder; prints one JSON object, `versions` that the schemas are of and the `objects`. Exits 1 with each fault.
Unknown keys are faults: a misspelt `readOnlyRootFilesystem` would be ignored by a cluster.
"""
import json
import pathlib
import subprocess
import sys

import kubernetes_validate
import yaml

FOLDER = pathlib.Path(sys.argv[1])

rendered = subprocess.run(["kubectl", "kustomize", str(FOLDER)], capture_output=True, text=True)
if rendered.returncode != 0:
    sys.exit(rendered.stderr)
objects = [*yaml.safe_load_all(rendered.stdout), yaml.safe_load((FOLDER / "secret.yaml").read_text())]
versions = list(dict.fromkeys(kubernetes_validate.utils.all_versions()))
faults = []
for version in versions:
    for manifest in objects:
        try:
            kubernetes_validate.validate(manifest, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            place = ".".join(str(step) for step in error.path)
            faults.append(f"{manifest['kind']} at {place}, Kubernetes {version}: {error.message}")
if faults:
    sys.exit("\n".join(faults))
print(json.dumps({"versions": versions, "objects": objects}))
