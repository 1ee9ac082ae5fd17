"""Stands for `ropewalk` in the blocks of the documentation: the same command, cut short so that all blocks run in seconds.

Runs end after SHORT seconds of simulated time, and so does what pictures and films show, with one sample a pixel; claims are about whole runs, so that a missed one is no
error then. Servers are interrupted once they have printed their address. ROPEWALK_DOCS=whole leaves all but servers as it stands.
"""

import os
import signal
import subprocess
import sys

SHORT = 0.02


def value_of(words: list[str], option: str, value: str) -> None:
    """Gives an option another value where it is given."""
    if option in words:
        words[words.index(option) + 1] = value


def shortened(words: list[str]) -> list[str]:
    """The words of a shorter run."""
    words = list(words)
    command = words[0] if words else ""
    if command == "run" and not {"--resume", "--replay"} & set(words):
        value_of(words, "--duration", str(SHORT))
        value_of(words, "--snapshot-every", str(0.6 * SHORT))
        if "--duration" not in words:
            words += ["--duration", str(SHORT)]
    if command in ("picture", "film"):
        value_of(words, "--at", str(SHORT / 2))
        value_of(words, "--times", f"0,{SHORT / 2}")
        if not {"--at", "--times"} & set(words):
            words += ["--at", str(SHORT / 2)] if command == "picture" else ["--times", f"0,{SHORT / 2}"]
        if "--samples" not in words:
            words += ["--samples", "1"]
    if command == "stress":
        value_of(words, "--cases", "2")
    return words


def serve(command: str, words: list[str]) -> int:
    """Starts a server, waits for its address, and interrupts it."""
    server = subprocess.Popen([command, *words], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = server.stdout.readline()
    print(address, end="")
    server.send_signal(signal.SIGINT)
    code = server.wait(timeout=60)
    return code if address.startswith("http://127.0.0.1:") else 1


def main() -> int:
    command, words = os.environ["ROPEWALK"], sys.argv[1:]
    whole = os.environ.get("ROPEWALK_DOCS") == "whole"
    if "--view" in words or (words[:1] == ["view"] and "--html" not in words):
        return serve(command, words)
    code = subprocess.run([command, *(words if whole else shortened(words))], check=False).returncode
    return 0 if code == 1 and words[:1] == ["run"] and not whole else code


if __name__ == "__main__":
    sys.exit(main())
