import re
from pathlib import Path

import pytest

from appliance.service.load_settings import SettingsError, load_settings
from appliance.settings import Settings
from tests import settings_page
from tests.narrowed import of_kind

HOME = {"HOME": "/home/maker"}


def loaded(path: Path | None, environ: dict[str, str]) -> Settings:
    settings = load_settings(path, environ)
    assert isinstance(settings, Settings), settings
    return settings


def refused(path: Path | None, environ: dict[str, str]) -> SettingsError:
    error = load_settings(path, environ)
    assert isinstance(error, SettingsError), error
    assert "\n" not in error.message
    return error


def test_defaults_are_those_of_the_wiring_guide() -> None:
    settings = loaded(None, HOME)
    assert (settings.pin_scale_dout, settings.pin_scale_sck) == (5, 6)
    assert (settings.pin_beam_front, settings.pin_beam_back) == (17, 27)
    assert (settings.pin_hourglass, settings.pin_buzzer) == (22, 18)
    assert (settings.port, settings.grace_s, settings.weighing_shown_s) == (8080, 2.0, 6.0)


def test_the_environment_wins_over_the_file_and_the_file_over_the_default(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text('port = 9000\ngrace_s = 1\ncamera = "opencv:2"\n')
    settings = loaded(file, {**HOME, "SMUGGLERS_PORT": "9001"})
    assert (settings.port, settings.grace_s, settings.camera, settings.host) == (9001, 1.0, "opencv:2", "::")


def test_a_file_with_a_byte_order_mark_and_line_ends_of_windows_is_read(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(b'\xef\xbb\xbfport = 9000\r\nhost_pin = "1234"\r\n')
    settings = loaded(file, HOME)
    assert (settings.port, settings.host_pin) == (9000, "1234")


@pytest.mark.parametrize(
    "camera", ["auto", "picamera2", "opencv:3", "clip:roll.mp4", "clip:/a folder/of: clips", "none"]
)
def test_a_camera_is_named_by_its_kind(camera: str) -> None:
    assert loaded(None, {**HOME, "SMUGGLERS_CAMERA": camera}).camera == camera


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"HOME": "/home/maker"}, "/home/maker/.local/state/smugglers-table"),
        ({"HOME": "/home/maker", "XDG_STATE_HOME": "/state"}, "/state/smugglers-table"),
        ({"HOME": "/home/maker", "STATE_DIRECTORY": "/var/lib/smugglers-table"}, "/var/lib/smugglers-table"),
        ({"STATE_DIRECTORY": "/var/lib/smugglers-table", "SMUGGLERS_DATA_DIR": "/mnt/usb"}, "/mnt/usb"),
    ],
)
def test_the_data_folder_follows_systemd_and_xdg(environ: dict[str, str], folder: str) -> None:
    settings = loaded(None, environ)
    assert settings.data_dir == folder
    assert settings.scale_path == Path(folder) / "scale.toml"


def test_a_calibration_file_can_lie_elsewhere() -> None:
    assert loaded(None, {**HOME, "SMUGGLERS_RIG_FILE": "/boot/rig.toml"}).rig_path == Path("/boot/rig.toml")


@pytest.mark.parametrize(
    ("variable", "value", "code"),
    [
        ("SMUGGLERS_PROT", "80", "unknown_setting"),
        ("SMUGGLERS_PORT", "eighty", "bad_value"),
        ("SMUGGLERS_PORT", "0", "bad_value"),
        ("SMUGGLERS_GRACE_S", "nan", "bad_value"),
        ("SMUGGLERS_GRACE_S", "inf", "bad_value"),
        ("SMUGGLERS_CAMERA", "webcam", "bad_value"),
        ("SMUGGLERS_CAMERA", "clip:", "bad_value"),
        ("SMUGGLERS_LANGUAGE", "fr", "bad_value"),
        ("SMUGGLERS_HOST_PIN", "12", "bad_value"),
        ("SMUGGLERS_PIN_BUZZER", "28", "bad_value"),
    ],
)
def test_a_wrong_variable_is_named_in_one_sentence(variable: str, value: str, code: str) -> None:
    error = refused(None, {**HOME, variable: value})
    assert error.code == code
    assert variable in error.message


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PORT", "abc", "it should be a whole number from 1 to 65535: TCP port"),
        ("GRACE_S", "99", "it should be a number from 0 to 30: Seconds"),
        ("PIN_BUZZER", "28", "it should be a whole number from 0 to 27: BCM pin"),
        ("SCALE_RATE_SPS", "7", "it should be 10 or 80: Samples"),
        *((name, "!", "it should be: ") for name in ("MQTT", "WEBHOOKS", "HUB", "CAMERA", "HOST_PIN", "EMBED_ORIGINS")),
        ("METRICS_TOKEN", "b", "it should be: Token of at least 16"),
    ],
)
def test_a_wrong_value_is_told_in_words_of_people(name: str, value: str, said: str) -> None:
    message = refused(None, {**HOME, f"SMUGGLERS_{name}": value}).message
    assert message.startswith(f"SMUGGLERS_{name}: {said}")
    assert not any(word in message for word in ("Expected", "regex", "^", "`str`", "enum"))


def test_every_setting_has_words_for_a_wrong_value(tmp_path: Path) -> None:
    for name in Settings.__struct_fields__:
        (tmp_path / "table.toml").write_text(f"{name} = [1]\n")
        message = refused(tmp_path / "table.toml", HOME).message
        assert ": it should be " in message
        assert "Expected" not in message


def test_a_slip_of_the_pen_is_guessed() -> None:
    assert "port" in refused(None, {**HOME, "SMUGGLERS_PROT": "80"}).message


def test_a_wrong_pin_of_the_host_is_not_repeated() -> None:
    assert "12a45" not in refused(None, {**HOME, "SMUGGLERS_HOST_PIN": "12a45"}).message


def test_a_wire_cannot_have_a_pin_of_the_lights_bus() -> None:
    wish = {**HOME, "SMUGGLERS_PIN_BUZZER": "10"}
    assert of_kind(Settings, load_settings(None, wish)).pin_buzzer == 10
    error = refused(None, {**wish, "SMUGGLERS_LEDS": "ws2812"})
    assert error.code == "pin_used_twice"
    assert "pin_buzzer" in error.message


def test_a_wire_cannot_have_a_pin_of_the_scales_bus() -> None:
    error = refused(None, {**HOME, "SMUGGLERS_PIN_BUZZER": "9", "SMUGGLERS_SCALE_WIRING": "spi"})
    assert error.code == "pin_used_twice"
    assert "pin_buzzer" in error.message
    assert "scale" in error.message


def test_the_lights_and_the_scale_cannot_share_the_bus() -> None:
    error = refused(None, {**HOME, "SMUGGLERS_LEDS": "ws2812", "SMUGGLERS_SCALE_WIRING": "spi"})
    assert error.code == "pin_used_twice"
    assert "leds" in error.message


def test_two_wires_cannot_share_a_pin() -> None:
    error = refused(None, {**HOME, "SMUGGLERS_PIN_BEAM_BACK": "17"})
    assert error.code == "pin_used_twice"
    assert "pin_beam_front" in error.message
    assert "pin_beam_back" in error.message


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"port = ", "not_toml"),
        (b"\xff\xfe", "not_toml"),
        (b"speed = 1", "unknown_setting"),
        (b'port = "8080"', "bad_value"),
        (b"port = true", "bad_value"),
        (b"[camera]\nkind = 1", "bad_value"),
    ],
)
def test_a_wrong_file_is_named_in_one_sentence(tmp_path: Path, text: bytes, code: str) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes(text)
    error = refused(file, HOME)
    assert error.code == code
    assert "table.toml" in error.message


def test_a_file_in_another_encoding_is_told_its_line_and_the_encoding_to_save_it_in(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_bytes("port = 8080\n# Käse\n".encode("latin-1"))
    assert refused(file, HOME).message == f"{file}: line 2 is not UTF-8 text; save the file as UTF-8"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('port = 80\nlanguage "de"\n', 2),
        ('port = 80\nlanguage = "de\nhost = "::"\n', 2),
        ("port = 80\n\nport = 81", 3),
        ('data_dir = """a\nb', 2),
        (f"port = 1\nhost = '{'a' * 100_000}'", 2),
    ],
)
def test_a_mistake_in_a_settings_file_is_told_by_its_line_without_words_of_the_parser(
    tmp_path: Path, text: str, line: int
) -> None:
    file = tmp_path / "table.toml"
    file.write_text(text)
    german = refused(file, {**HOME, "SMUGGLERS_LANGUAGE": "de"}).message
    assert re.search(rf"\bZeile {line}\b", german)
    assert not re.search(
        r"\b(at|line|expected|illegal|character|document|value)\b", german.replace(str(file), ""), re.I
    )


@pytest.mark.parametrize("text", ["port = " + "9" * 5000, "port = " + "[" * 2400])
def test_a_settings_file_that_no_parser_takes_is_told_without_a_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "table.toml"
    file.write_text(text)
    error = refused(file, {**HOME, "SMUGGLERS_LANGUAGE": "de"})
    assert (error.code, "None" in error.message) == ("not_toml", False)
    assert "kein lesbares TOML" in error.message


def test_a_missing_file_is_an_error_not_a_default(tmp_path: Path) -> None:
    assert refused(tmp_path / "nowhere.toml", HOME).code == "unreadable"


def test_where_the_test_pictures_are_is_no_setting() -> None:
    loaded(None, {**HOME, "SMUGGLERS_DATA": "/data"})


def test_the_documentation_has_exactly_these_settings() -> None:
    page = settings_page.PAGE.read_text(encoding="utf-8")
    assert page == settings_page.filled(page), "run `make docs`"
    for name in Settings.__struct_fields__:
        assert f"| `{name}` |" in page


def test_the_scale_is_read_at_one_of_the_two_rates_that_its_chip_has() -> None:
    assert loaded(None, HOME).scale_rate_sps == 10
    assert loaded(None, {**HOME, "SMUGGLERS_SCALE_RATE_SPS": "80"}).scale_rate_sps == 80
    error = refused(None, {**HOME, "SMUGGLERS_SCALE_RATE_SPS": "20"})
    assert error.code == "bad_value"
    assert "10" in error.message


HOOK = {"SMUGGLERS_WEBHOOK_SECRET": "0123456789abcdef"}


@pytest.mark.parametrize(
    "value",
    [
        "http://10.0.0.7/a",
        "https://club.example/hook?room=7",
        "http://a.local:8123 https://b.example/x",
        "http://[::1]:80/",
    ],
)
def test_webhooks_are_addresses_that_can_be_posted_to(value: str) -> None:
    assert loaded(None, {**HOME, **HOOK, "SMUGGLERS_WEBHOOKS": value}).webhooks.split() == value.split()


@pytest.mark.parametrize(
    "value",
    [
        "ftp://club.example/",
        "club.example",
        "http://me:word@club.example/",
        "http://a.example:99999/",
        "http://a.example:0/",
        "http://[::1/",
        "http://a.example/\nX: y",
        "http://a.example,http://b.example",
    ],
)
def test_other_addresses_are_refused_and_not_repeated(value: str) -> None:
    error = refused(None, {**HOME, **HOOK, "SMUGGLERS_WEBHOOKS": value})
    assert error.code == "bad_value"
    assert value not in error.message


def test_webhooks_need_a_secret_that_signs_them() -> None:
    error = refused(None, {**HOME, "SMUGGLERS_WEBHOOKS": "http://a.example/"})
    assert error.code == "secret_missing"
    assert "webhook_secret" in error.message


@pytest.mark.parametrize("value", ["*", "https://a.example/page", "https://a.example; script-src *", "'self'", "null"])
def test_only_sites_may_embed(value: str) -> None:
    assert refused(None, {**HOME, "SMUGGLERS_EMBED_ORIGINS": value}).code == "bad_value"


@pytest.mark.parametrize(
    "value", ["mqtt://broker", "mqtts://me:p%40ss@broker.local:8883", "mqtt://[fd00::7]:1883", "mqtt://10.0.0.7"]
)
def test_a_broker_is_an_address_of_mqtt(value: str) -> None:
    assert loaded(None, {**HOME, "SMUGGLERS_MQTT": value}).mqtt == value


@pytest.mark.parametrize(
    "value", ["somewhere", "http://somewhere", "mqtt://me:pass@", "mqtt://broker:70000", "mqtt://a b"]
)
def test_another_broker_is_refused_and_not_repeated(value: str) -> None:
    error = refused(None, {**HOME, "SMUGGLERS_MQTT": value})
    assert error.code == "bad_value"
    assert value not in error.message


def test_a_tilde_is_the_home_folder_in_every_setting_that_names_one(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text('data_dir = "~/table"\nstick_dirs = "/media:~/sticks"\ncamera = "clip:~/roll.mp4"\n')
    settings = loaded(file, {**HOME, "SMUGGLERS_COPY_DIR": "~", "SMUGGLERS_RIG_FILE": "~/rig.toml"})
    assert settings.path("journal.sqlite3") == Path("/home/maker/table/journal.sqlite3")
    assert settings.stick_paths == (Path("/media"), Path("/home/maker/sticks"))
    assert settings.camera == "clip:/home/maker/roll.mp4"
    assert (settings.copy_dir, settings.rig_path) == ("/home/maker", Path("/home/maker/rig.toml"))


@pytest.mark.parametrize(
    ("text", "environ", "says"),
    [
        (None, {}, ": es gibt keine solche Datei und keinen solchen Ordner; eine lesbare Datei"),
        ("port = ", {}, ": kein TOML: Der Fehler zeigt sich in Zeile 1"),
        ("prot = 80", {}, ": prot: eine solche Einstellung gibt es nicht; ist port gemeint?"),
        ("port = 0", {}, ": port: hierher gehört eine ganze Zahl von 1 bis 65535."),
        ("grace_s = 99", {}, ": grace_s: hierher gehört eine Zahl von 0 bis 30."),
        ("host_pin = 1234", {}, ": host_pin: hierher gehört Text in Anführungszeichen."),
        ("scale_rate_sps = 7", {}, ": scale_rate_sps: hierher gehört 10 oder 80."),
        ("pin_buzzer = 17", {}, "pin_beam_front und pin_buzzer haben beide den Pin 17; jedem Draht"),
        ("", {"SMUGGLERS_HOST_PIN": "12"}, "SMUGGLERS_HOST_PIN: der Wert passt nicht."),
    ],
)
@pytest.mark.parametrize("is_in_the_file", [True, False])
def test_what_is_wrong_is_told_in_the_language_of_the_settings(
    tmp_path: Path, text: str | None, environ: dict[str, str], says: str, is_in_the_file: bool
) -> None:
    """The language comes from the file with the mistake, where it can be read, or from the environment."""
    file = tmp_path / "table.toml"
    language = 'language = "de"\n' if is_in_the_file else ""
    if text is not None:
        file.write_text(language + text)
    cannot_be_read = text in (None, "port = ")
    told = refused(file, {**HOME, **environ, **({} if is_in_the_file else {"SMUGGLERS_LANGUAGE": "de"})}).message
    assert (says in told) is not (is_in_the_file and cannot_be_read), told


@pytest.mark.parametrize("language", ["fr", 7, ["de"]])
def test_a_wrong_language_is_told_in_english(tmp_path: Path, language: str) -> None:
    (tmp_path / "table.toml").write_text(f"language = {language!r}")
    assert "language: it should be" in refused(tmp_path / "table.toml", HOME).message
