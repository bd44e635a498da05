"""Where the `smugglers` command begins. Ctrl-C before its program is loaded, or after it has ended, prints nothing."""

import signal


def main() -> None:
    """Load the command and run it. Until it runs, and once it has run, Ctrl-C ends the process as if nobody handled it.

    Python's own answer there is a traceback of whatever was being imported.
    """
    heeds = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not where it is ignored, as under `nohup`
    if heeds:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from appliance import cli

    try:
        if heeds:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        cli.main(prog_name="smugglers")
    finally:
        if heeds:
            signal.signal(signal.SIGINT, signal.SIG_DFL)


if __name__ == "__main__":
    main()
