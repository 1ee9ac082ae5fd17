"""The process of one run: ``python -m ropewalk.reproduce._worker FUNCTION SETTINGS RESULT``."""

import importlib
import json
import os
import sys
import time
import traceback
from pathlib import Path

from ropewalk.reproduce.runs import plain


def main(arguments: list[str]) -> int:
    """Calls the function and writes what it returns, with the CPU-seconds that it took, whole or not at all."""
    name, settings, path = arguments
    module, _, function = name.partition(":")
    began = time.process_time()
    try:
        values = getattr(importlib.import_module(f"ropewalk.reproduce.{module}"), function)(**json.loads(settings))
    except Exception:
        lines = traceback.format_exc().strip().splitlines()
        print("\n".join(lines[-6:]), file=sys.stderr)
        return 1
    out = {"values": plain(values), "cpu_seconds": time.process_time() - began}
    partial = Path(f"{path}.{os.getpid()}")
    partial.write_text(json.dumps(out), encoding="utf-8")
    partial.replace(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
