"""Runs a notebook from its first cell to its last, in its folder, and compares the outputs
with those in the file. With -rewrite, writes them there.

    PYTHONPATH=<folders with the packages> python3 notebook.py [-rewrite] NOTEBOOK
"""
import copy
import os
import sys

import nbclient
import nbformat

PROGRAM = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]


def outputs(cell):
    """What a reader sees: texts, and that there are pictures, whose pixels other tests check."""
    seen = []
    for o in cell.get("outputs", []):
        data = o.get("data", {})
        seen.append("image/png" if "image/png" in data else (o.get("text") or data.get("text/plain") or str(o)).strip())
    return seen


def main():
    *flags, path = sys.argv[1:]
    kept = nbformat.read(path, 4)
    run = copy.deepcopy(kept)
    client = nbclient.NotebookClient(run, timeout=600, resources={"metadata": {"path": os.path.dirname(path)}})
    client.create_kernel_manager().kernel_spec_manager.get_kernel_spec("python3").argv[:] = PROGRAM
    client.execute()
    for cell in run.cells:
        cell.metadata.pop("execution", None)  # the times at which cells ran differ from run to run
    if flags == ["-rewrite"]:
        nbformat.write(run, path)
        return
    for cell, before in zip(run.cells, kept.cells):
        if outputs(cell) != outputs(before):
            sys.exit("%s\nprints\n%s\nand the file has\n%s" % (cell.source, outputs(cell), outputs(before)))
    print("%d cells" % len(run.cells))


if __name__ == "__main__":
    main()
