"""What a screen reader says by itself of a page that changes."""

from __future__ import annotations

LISTEN = """() => {
    window.heard = [];
    const live = "[aria-live], [role=status], [role=alert]";
    new MutationObserver(changes => {
        for (const { target, type, addedNodes } of changes) {
            const where = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
            const region = where?.closest(live);
            if (!region || region.getAttribute("aria-live") === "off") continue;
            const part = where.closest("footer, figure, .own, .log, .controls");
            for (const node of type === "characterData" ? [target] : addedNodes)
                if (node.textContent.trim()) heard.push([node.textContent.trim(), part?.className ?? null]);
        }
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
}"""
"""Notes in `heard` what is said from now on, each as [text, class of the part of a game's page that it stands in].

The nearest live region tells whether a change is said.
"""
