"""Updates started from the host's page in a booted system: what a stick brings is seen, installed, proven or undone."""

from __future__ import annotations

from tests.installed.booted_debian import BootedDebian

PIN = "482913"
STICK = "/media/stick"
ASK = f"""
import http.cookiejar, re, sys, urllib.error, urllib.parse, urllib.request as u
base = "http://127.0.0.1:8080"
browser = u.build_opener(u.HTTPCookieProcessor(http.cookiejar.CookieJar()))
def post(path, **form):
    asked = u.Request(base + path, urllib.parse.urlencode(form).encode(), {{"Origin": base}})
    try:
        return browser.open(asked, timeout=300).status
    except urllib.error.HTTPError as error:
        return error.code
post("/first/pin" if sys.argv[1] == "first" else "/host/unlock", pin="{PIN}")
page = browser.open(base + "/host/updates", timeout=300).read().decode()
offered = re.findall(r'name="what" value="([^"]*)"', page)
print("offered", [one.split()[:2] for one in offered])
print("wrong", post("/host/updates/install", pin="0000", what=offered[0]))
print("right", post("/host/updates/install", pin="{PIN}", what=offered[0]))
"""
RESULT = 'python3 -c \'import json; print(json.load(open("/var/lib/smugglers-machine/update.json"))["result"])\''


def install_from_stick(system: BootedDebian, package: str, version: str, *, first: bool) -> str:
    """Plug in a stick with `package`, choose it on the host's page, and return what the machine notes at the end.

    :param first: there is no PIN yet.
    """
    system.run(f"mkdir -p {STICK} && mount -t tmpfs tmpfs {STICK} && cp {package} {STICK}/")
    system.run(f"rm -f /var/lib/smugglers-machine/update.json; cat > /srv/ask.py <<'END'\n{ASK}\nEND")
    said = system.run(f"python3 /srv/ask.py {'first' if first else 'again'}")
    assert f"offered [['stick', '{version}']]" in said, said
    assert "wrong 403" in said, said
    assert "right 200" in said, said
    state = "systemctl show --property=ActiveState --value smugglers-update@install.service"
    system.until(f"test -e /var/lib/smugglers-machine/update.json && {state}", "inactive")
    system.run(f"umount {STICK}")
    assert system.says("ls /var/lib/smugglers-machine | grep -c 'update.deb\\|update-wish'") == "0"
    return system.says(RESULT)
