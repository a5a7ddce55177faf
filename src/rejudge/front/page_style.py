"""How a page looks: in light and dark, on any width, on paper, and inside a notebook, whose colours it takes."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
.rj { --better: #2474c7; --worse: #bf5410; --on: #fff; --ink: currentColor; --card: transparent; }
.rj { --dim: color-mix(in srgb, currentColor 68%, transparent); }
.rj { --line: color-mix(in srgb, currentColor 20%, transparent); }
.rj { --faint: color-mix(in srgb, currentColor 7%, transparent); }
.rj { --both: color-mix(in srgb, currentColor 30%, transparent); }
.rj { --neither: color-mix(in srgb, currentColor 14%, transparent); }
.rj, .rj * { box-sizing: border-box; }
.rj { font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; max-width: 76rem; }
.rj { overflow-wrap: anywhere; font-variant-numeric: tabular-nums; text-align: left; container: rj / inline-size; }
.rj h1 { font-size: 1.75rem; line-height: 1.2; margin: .1rem 0 .7rem; letter-spacing: -.015em; text-wrap: balance; }
.rj h2 { font-size: 1.3rem; line-height: 1.3; margin: 0 0 .6rem; letter-spacing: -.01em; }
.rj h3 { font-size: 1rem; line-height: 1.35; margin: 0; }
.rj p { margin: .25rem 0; }
.rj .dim, .rj .kicker { color: var(--dim); }
.rj .kicker { font-size: .8rem; letter-spacing: .06em; text-transform: uppercase; margin: 0; }
.rj .small { font-size: .88rem; }
.rj dl.sides { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .1rem .9rem; margin: 0; }
.rj dl.sides { font-size: .9rem; }
.rj dt { color: var(--dim); font-weight: 400; margin: 0; }
.rj dd { margin: 0; }
.rj .note { border-left: .2rem solid var(--worse); padding: .1rem 0 .1rem .8rem; margin: .9rem 0 0; max-width: 60rem; }
.rj .score { margin: 2.2rem 0 0; padding: 1.6rem 0 0; border-top: 1px solid var(--line); }
.rj .hero { display: flex; flex-wrap: wrap; align-items: baseline; gap: .2rem 1.1rem; margin: 0 0 1.2rem; }
.rj .hero { border-left: .35rem solid var(--dim); padding: .2rem 0 .2rem 1rem; }
.rj .hero.better { border-color: var(--better); }
.rj .hero.worse { border-color: var(--worse); }
.rj .hero .verdict { font-size: 1.5rem; font-weight: 700; line-height: 1.25; }
.rj .hero .big { font-size: 1.5rem; font-weight: 500; line-height: 1.25; }
.rj .hero .facts { flex-basis: 100%; color: var(--dim); }
.rj .sign { font-weight: 400; }
.rj .sign.better { color: var(--better); }
.rj .sign.worse { color: var(--worse); }
.rj .columns { display: grid; gap: 1.25rem 2.25rem; grid-template-columns: minmax(0, 1fr); align-items: start; }
@container rj (min-width: 62rem) { .rj .columns { grid-template-columns: minmax(0, 46rem) minmax(0, 1fr); } }
.rj .pictures, .rj aside { max-width: 46rem; }
.rj .pictures { display: grid; gap: 1.25rem; grid-template-columns: minmax(0, 1fr); }
.rj figure { margin: 0; padding: 1rem 1.15rem .9rem; border: 1px solid var(--line); border-radius: .7rem; }
.rj figure { background: var(--card); min-width: 0; }
.rj figcaption { margin: 0 0 .8rem; text-align: left; color: inherit; }
.rj figcaption p { color: var(--dim); font-size: .88rem; line-height: 1.45; max-width: 42rem; }
.rj .plot { container: plot / inline-size; }
.rj svg { display: block; width: 100%; height: auto; overflow: visible; }
.rj svg.wide { max-width: 680px; }
.rj svg.narrow { display: none; max-width: 460px; }
@container plot (max-width: 35rem) { .rj svg.wide { display: none; } .rj svg.narrow { display: block; } }
.rj svg text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: currentColor; }
.rj svg text { font-variant-numeric: tabular-nums; unicode-bidi: isolate; }
.rj svg .dim, .rj svg .tick, .rj svg .name, .rj svg .count { fill: var(--dim); font-size: 12px; }
.rj svg .count { fill: currentColor; }
.rj svg .number { font-weight: 600; font-size: 13px; fill: currentColor; }
.rj svg :is(.row, .number, .dim, .count) { paint-order: stroke; stroke: var(--card); stroke-width: 4px; }
.rj svg .dim { color: inherit; }
.rj svg .on { stroke: none; fill: currentColor; }
.rj section > figure { max-width: 46rem; }
.rj nav + figure { margin-top: 1.25rem; }
.rj svg .grid { stroke: var(--line); stroke-width: 1; }
.rj svg .axis { stroke: var(--dim); stroke-width: 1; }
.rj svg .zero { stroke: currentColor; stroke-width: 1.5; }
.rj svg .whole, .rj svg .ideal, .rj svg .joint { stroke: var(--dim); stroke-width: 1.5; stroke-dasharray: 4 3; }
.rj svg .band { fill: var(--faint); }
.rj svg .estimate { color: var(--ink); }
.rj svg .better { color: var(--better); fill: var(--better); }
.rj svg .worse { color: var(--worse); fill: var(--worse); }
.rj svg .reach, .rj svg .end { stroke: currentColor; stroke-width: 2.5; fill: none; }
.rj svg .end, .rj svg .thin { stroke-width: 1.5; }
.rj svg .mark { fill: currentColor; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
.rj svg .mark.open { fill: var(--paper, none); }
.rj svg .curve { fill: none; stroke: currentColor; stroke-width: 1.5; opacity: .5; }
.rj svg .course { fill: none; stroke: var(--better); stroke-width: 2.5; stroke-linejoin: round; }
.rj svg .course.other { stroke: var(--dim); stroke-width: 1.5; stroke-dasharray: 5 3; }
.rj svg .drop { fill: none; stroke: currentColor; stroke-width: 1; stroke-dasharray: 2 3; }
.rj svg .part.both { fill: var(--both); }
.rj svg .part.neither { fill: var(--neither); }
.rj svg .part.different { fill: var(--both); }
.rj svg .bar { fill: color-mix(in srgb, currentColor 30%, transparent); stroke: currentColor; stroke-width: 1; }
.rj svg .in { font-weight: 600; }
.rj svg .in.better, .rj svg .in.worse { fill: var(--on); }
.rj svg .said { font-size: 12px; font-weight: 600; }
.rj svg .cell { fill: var(--better); stroke: var(--line); }
.rj svg .cell.agreed { stroke: currentColor; stroke-width: 2; }
.rj svg .rank { fill: color-mix(in srgb, var(--better) 26%, transparent); stroke: var(--better); }
.rj details > summary { cursor: pointer; border-radius: .3rem; width: fit-content; }
.rj details.numbers { margin: .7rem 0 0; font-size: .88rem; }
.rj details.numbers > summary { color: var(--dim); }
.rj details.items { border: 1px solid var(--line); border-radius: .7rem; padding: .7rem 1.15rem; margin: 1rem 0 0; }
.rj details.items { background: var(--card); }
.rj details.items > summary { font-weight: 600; }
.rj .scroll { overflow-x: auto; margin: .6rem 0 0; border-radius: .3rem; max-height: 34rem; }
.rj :is(summary, .scroll, a):focus-visible { outline: .15rem solid var(--better); outline-offset: .15rem; }
.rj table { border-collapse: collapse; font-size: .88rem; margin: 0; width: 100%; overflow-wrap: normal; }
.rj caption { text-align: left; color: var(--dim); padding: 0 0 .4rem; }
.rj tr, .rj tbody tr:nth-child(odd) { background: none; }
.rj th, .rj td { text-align: left; vertical-align: top; padding: .35rem 1.1rem .35rem 0; max-width: 32rem; }
.rj th, .rj td { border-bottom: 1px solid var(--line); font-weight: 400; min-width: 4.5rem; white-space: normal; }
.rj nav td:first-of-type { min-width: 8.5rem; }
.rj thead th { color: var(--dim); font-size: .82rem; }
.rj .items th[scope=row] { min-width: 9rem; max-width: none; width: 70%; }
.rj .items th[scope=row]:has(~ td:nth-child(4)) { width: auto; }
.rj .items td { min-width: 4rem; max-width: none; }
.rj .items th, .rj .items td { overflow-wrap: anywhere; padding-right: .8rem; }
.rj .items caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.rj .lines { margin: .6rem 0 0; }
.rj .lines p { font: .82rem/1.5 ui-monospace, monospace; white-space: pre-wrap; margin: 0; }
.rj .lines p { padding-left: 2ch; text-indent: -2ch; }
.rj .lines .in-1 { padding-left: 4ch; }
.rj .lines .in-2 { padding-left: 6ch; }
.rj .lines .in-3 { padding-left: 8ch; }
.rj aside { font-size: .94rem; position: sticky; top: 1.5rem; }
.rj aside h3 { margin: 1.1rem 0 .3rem; }
.rj aside h3:first-child { margin-top: 0; }
.rj ul { margin: .2rem 0; padding: 0 0 0 1.1rem; list-style: disc; }
.rj li { margin: .35rem 0; }
.rj a { color: inherit; text-underline-offset: .15em; }
.rj footer { margin: 2.5rem 0 0; padding: .9rem 0 0; border-top: 1px solid var(--line); color: var(--dim); }
.rj footer { font-size: .85rem; }
@media print {
  .rj { font-size: 10pt; }
  .rj figure, .rj tr { break-inside: avoid; }
  .rj .scroll { overflow: visible; max-height: none; }
  .rj aside { position: static; }
  .rj details.numbers:not([open])::details-content { content-visibility: visible; height: auto; }
}
"""
"""Of one piece of HTML whose outermost element has the class `rj`; nothing outside that element changes."""

DOCUMENT: Final = """
:root { color-scheme: light dark; --paper: #fff; }
html { background: #f6f7f9; color: #1b2027; }
body { margin: 0; padding: 2rem clamp(1rem, 4vw, 3rem) 4rem; }
.rj { margin: 0 auto; --card: #fff; --better: #0b62b8; --worse: #b34700; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #181d24; }
  html { background: #10141a; color: #e4e8ee; }
  .rj { --card: #181d24; --better: #6db3ff; --worse: #ff9d5c; --on: #10141a; }
}
@media print {
  :root { color-scheme: light; --paper: #fff; }
  html { background: #fff; color: #000; }
  body { padding: 0; }
  .rj { --card: #fff; --better: #0b62b8; --worse: #b34700; --on: #fff; }
}
"""
"""What a page of its own adds: its background, and colours for light and dark."""
