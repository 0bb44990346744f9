/** The look of an exported page: one column, at any width, light or dark as the reader's system. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --text: #1f2328; --quiet: #59636e; --page: #ffffff; --block: #f6f8fa;
  --edge: #d1d9e0; --added: #116329; --removed: #a40e26; --hunk: #0550ae; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --quiet: #9198a1; --page: #0d1117;
  --block: #161b22; --edge: #3d444d; --added: #7ee787; --removed: #ffa198; --hunk: #79c0ff; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 52rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; } h2 { font-size: 1rem; margin: 1.5rem 0 .5rem; }
header p, time, .note { color: var(--quiet); font-weight: normal; font-size: .875rem; }
pre, code { font: .8125rem/1.45 ui-monospace, monospace; }
pre { background: var(--block); padding: .75rem; border-radius: .375rem; white-space: pre-wrap; margin: .5rem 0; }
.user { border-left: .25rem solid var(--hunk); padding-left: .75rem; }
.user pre { background: none; padding: 0; font: inherit; }
details { border: 1px solid var(--edge); border-radius: .375rem; margin: .5rem 0; padding: 0 .75rem; }
summary { padding: .375rem 0; cursor: pointer; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
td, th { border: 1px solid var(--edge); padding: .25rem .5rem; }
a { color: var(--hunk); }
.added { color: var(--added); } .removed { color: var(--removed); } .hunk { color: var(--hunk); }
`;
