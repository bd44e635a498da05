"""Compiles all templates and catalogues of words, so that no start has to: `python -m web.pages.compile_all`.

The package runs it when it is installed, as it compiles the modules: the table itself may not write there.
"""

from __future__ import annotations

from web.pages.quick_templates import QuickFlask
from web.pages.table_templates import HUBS, load_all, prepare_templates


def main() -> None:
    """Compile what tables and hubs have."""
    table = QuickFlask("web")
    prepare_templates(table)
    load_all(table.jinja_env)
    hub = QuickFlask("web")
    for name in hub.jinja_env.list_templates(extensions=["html"]):
        if name.startswith(HUBS):
            hub.jinja_env.get_template(name)


if __name__ == "__main__":
    main()
