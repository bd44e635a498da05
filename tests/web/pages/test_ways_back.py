"""A way back from the rules leads to the page they were opened from, not to another screen."""

from __future__ import annotations

import pytest

from tests.web.stand import ADDRESS, Stand

HERE = f"http://{ADDRESS}"


@pytest.mark.parametrize("page", ["/seat/1", "/kiosk", "/kiosk/corrections/1?action=null"])
def test_back_from_a_rule_leads_to_the_page_it_was_tapped_on(stand: Stand, page: str) -> None:
    stand.open(2)
    phone = stand.phone(1)
    rules = phone.get("/rules", headers={"Referer": HERE + page}, follow_redirects=True)
    assert rules.status_code == 200
    assert f'<a class="tap quiet" href="{page}">← Back</a>' in rules.text


@pytest.mark.parametrize("page", ["http://evil.example/kiosk", "http://evil.example", "not an address", "//x"])
def test_a_foreign_page_is_no_way_back(stand: Stand, page: str) -> None:
    rules = stand.stranger().get("/rules", headers={"Referer": page}, follow_redirects=True)
    assert rules.status_code == 200
    assert 'href="/">← Back</a>' in rules.text


def test_the_other_language_keeps_the_way_back(stand: Stand) -> None:
    stand.open(2)
    phone = stand.phone(1)
    shown = phone.get(
        "/language/de?back=/rules", headers={"Referer": f"{HERE}/rules?back=/seat/1"}, follow_redirects=True
    )
    assert shown.request.path == "/rules"
    assert 'href="/seat/1">← Zurück</a>' in shown.text
