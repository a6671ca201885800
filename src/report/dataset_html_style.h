// The look of the data set page. All colours are here: two sets of the same names, each readable
// on its ground (contrast of text at least 4.5).
#pragma once

#include <string_view>

namespace qanat {

inline constexpr std::string_view kDatasetHtmlStyle = R"css(
:root { color-scheme: light dark;
  --ground: #ffffff; --card: #f5f7f9; --ink: #1b2430; --quiet: #566171; --line: #d8dee6;
  --error: #b3261e; --warning: #855400; --note: #35588c; --good: #1d6b42; --bar: #2b7a99; }
@media (prefers-color-scheme: dark) { :root {
  --ground: #11161c; --card: #1a2129; --ink: #e7ecf2; --quiet: #9fabba; --line: #2d3743;
  --error: #ff9187; --warning: #f5bd5c; --note: #a3c4ff; --good: #7fd6a4; --bar: #4aa9c9; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 68rem; background: var(--ground);
  color: var(--ink); font: 1rem/1.5 system-ui, "Segoe UI", "Noto Sans", "Vazirmatn", sans-serif; }
h1 { margin: 0; font-size: 1.6rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 2.5rem 0 .75rem; font-size: 1.2rem; }
.verdict { margin: 1rem 0 1.75rem; padding: .75rem 1rem; border-inline-start: .3rem solid;
  border-radius: .3rem; background: var(--card); font-weight: 600; overflow-wrap: anywhere; }
.error { color: var(--error); } .warning { color: var(--warning); }
.note { color: var(--note); } .good { color: var(--good); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.5rem; margin: 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; }
caption { text-align: start; color: var(--quiet); padding-bottom: .4rem; }
th, td { padding: .35rem .9rem .35rem 0; border-bottom: 1px solid var(--line); text-align: start;
  vertical-align: top; }
th { font-weight: 600; white-space: nowrap; } td { overflow-wrap: anywhere; }
.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
.problems { table-layout: fixed; min-width: 44rem; }
.place { width: 12.5rem; } .file { width: 22%; }
.scroll { overflow-x: auto; }
.histogram { max-width: 44rem; }
.histogram td, .histogram th { padding-block: .1rem; border: 0; vertical-align: middle; }
.histogram th { font-weight: 400; text-align: end; font-variant-numeric: tabular-nums; width: 1%; }
.histogram .number { width: 1%; }
.bar { display: block; height: .95rem; border-radius: .15rem; background: var(--bar); }
details { margin: .6rem 0; border: 1px solid var(--line); border-radius: .4rem; }
summary { padding: .6rem .9rem; cursor: pointer; background: var(--card); border-radius: .4rem; }
summary strong { margin-inline-end: .5rem; }
details > p, details > .scroll { padding: 0 .9rem; } details > p { color: var(--quiet); }
details > .scroll { padding-bottom: .8rem; }
:focus-visible { outline: 2px solid var(--note); outline-offset: 2px; }
footer { margin-top: 3rem; color: var(--quiet); font-size: .88rem; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; gap: 0; } dd { margin-bottom: .6rem; } }
)css";

}  // namespace qanat
