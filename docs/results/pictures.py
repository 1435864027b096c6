"""Takes the curves of a report page out of it, as pictures that stand alone.

    kgtrain report RUN --out report.html
    python docs/results/pictures.py report.html docs/results NAME     # NAME-loss.svg, NAME-reward.svg, ...
"""
import pathlib
import re
import sys


def main(page, folder, name):
    html = pathlib.Path(page).read_text()
    style = "".join(re.findall(r"<style>(.*?)</style>", html, re.S))
    # Not every viewer of pictures knows variables, or that a page may be dark.
    style = re.sub(r"@media\([^)]*\)\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", style)
    values = dict(re.findall(r"(--\w+):([^;}]+)", re.search(r":root\{(.*?)\}", style, re.S).group(1)))
    style = re.sub(r"var\((--\w+)\)", lambda name: values[name.group(1)], style)
    for svg in re.findall(r"<svg .*?</svg>", html, re.S):
        label = re.search(r'aria-label="([^"]*)"', svg)
        if not label:
            continue
        words = re.sub(r"[^a-z0-9]+", "-", label.group(1).lower()).strip("-")
        svg = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" width="460" height="220" ', 1)
        title = f'<text x="62" y="9" font-family="sans-serif" font-size="9">{label.group(1)}</text>'
        svg = re.sub(r">", f"><style>{style}</style>" + '<rect width="100%" height="100%" fill="white"/>' + title, svg, count=1)
        path = pathlib.Path(folder) / f"{name}-{words}.svg"
        path.write_text(svg + "\n")
        print(path)


main(*sys.argv[1:])
