"""Where the `smugglers` command begins. Ctrl-C before its program is loaded, or after it has ended, prints nothing."""

import signal


def main() -> None:
    """Load the command and run it. Until it runs, and once it has run, Ctrl-C ends the process as if nobody handled it.

    Python's own answer there is a traceback of whatever was being imported.
    """
    ours = signal.getsignal(signal.SIGINT)
    quiet = signal.SIG_DFL if ours is signal.default_int_handler else ours  # ignored under `nohup`, and stays so
    signal.signal(signal.SIGINT, quiet)
    from appliance import cli

    try:
        signal.signal(signal.SIGINT, ours)
        cli.main(prog_name="smugglers")
    finally:
        signal.signal(signal.SIGINT, quiet)


if __name__ == "__main__":
    main()
