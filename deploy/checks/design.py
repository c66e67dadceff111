#!/usr/bin/env python3
"""Checks what the design forbids and the compiler allows.

- an import that is not a declared dependency of its target (reachable ones compile all the same)
- a C module, or unchecked concurrency, outside Bindings
- full Foundation or FoundationEssentials anywhere
- a source file that has grown far past 400 lines
- a module whose main file does not open with its promise
Prints each fault as file:line: what, and what would be right; exits 1 if there is one.
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SYSTEM = {"Swift", "Synchronization", "Glibc", "Dispatch", "Testing"}
LINES_MAX = 450
IMPORT = re.compile(r"^\s*(?:@\w+\s+)*(?:public |internal |private |fileprivate |package )?import\s+(?:(?:struct|class|enum|func|protocol|var|let|typealias)\s+)?(\w+)")
UNCHECKED = re.compile(r"@unchecked\s+Sendable|nonisolated\(unsafe\)")


def faults():
    described = subprocess.run(
        ["swift", "package", "describe", "--type", "json"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    # A build that runs meanwhile is announced before the description.
    package = json.loads(described[described.index("{"):])
    for target in package["targets"]:
        if target["module_type"] == "SystemLibraryTarget":
            continue
        declared = set(target.get("target_dependencies", []))
        in_bindings = target["path"].startswith("Sources/Bindings/")
        folder = ROOT / target["path"]
        has_promise = False
        for source in target["sources"]:
            path = folder / source
            lines = path.read_text().splitlines()
            where = path.relative_to(ROOT)
            has_promise |= bool(lines) and lines[0].startswith("// ")
            if len(lines) > LINES_MAX:
                yield f"{where}:{LINES_MAX}: {len(lines)} lines; look for its second subject"
            for number, line in enumerate(lines, 1):
                if found := IMPORT.match(line):
                    module = found[1]
                    if module.startswith("Foundation"):
                        yield f"{where}:{number}: imports {module}; Base and Bindings have what is needed without it"
                    elif module in SYSTEM:
                        pass
                    elif re.match(r"C[A-Z]", module) and not in_bindings and "Tests" not in target["path"]:
                        yield f"{where}:{number}: imports {module} outside Bindings; use its Swift module"
                    elif module not in declared:
                        yield f"{where}:{number}: imports {module}, which {target['name']} does not declare in Package.swift"
                elif UNCHECKED.search(line) and not in_bindings and not line.strip().startswith("//"):
                    yield f"{where}:{number}: unchecked concurrency outside Bindings; use a Mutex or an actor"
                elif UNCHECKED.search(line) and in_bindings and not line.strip().startswith("//"):
                    reason = [l.strip() for l in lines[max(0, number - 4):number]]
                    if not any(l.startswith("//") or "//" in l for l in reason):
                        yield f"{where}:{number}: unchecked concurrency without its reason in a comment above"
        if target["path"].startswith("Sources/") and not has_promise:
            yield f"{target['path']}: no file opens with the module's promise in one sentence"


found = list(faults())
for fault in found:
    print(fault)
print(f"design: {len(found)} faults" if found else "design: nothing forbidden", file=sys.stderr)
sys.exit(1 if found else 0)
