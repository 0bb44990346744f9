/** What North has in place of other assistants' flags. */
export const FLAGS_ELSEWHERE: Readonly<Record<string, string>> = {
    "-C": "Use --path DIR.",
    "-a": "Use --accept-edits and --approve-shell.",
    "--add-dir": "North works in one repository, which --path names; --file attaches other files.",
    "--allowed-tools": "`north allowlist add COMMAND` allows a command.",
    "--allowedTools": "`north allowlist add COMMAND` allows a command.",
    "--append-system-prompt": "Put instructions into AGENTS.md.",
    "--approval-mode": "Use --plan, --accept-edits or --approve-shell.",
    "--ask-for-approval": "Use --accept-edits and --approve-shell.",
    "--cd": "Use --path DIR.",
    "--dangerously-bypass-approvals-and-sandbox":
        "Use --accept-edits and --approve-shell; --contain off runs commands for real.",
    "--dangerously-skip-permissions": "Use --accept-edits and --approve-shell.",
    "--debug": "Use --log-level debug.",
    "--fork-session": "Use `north resume ID --fork`.",
    "--full-auto": "Use --accept-edits; commands run contained first.",
    "--image": "Use --file PATH.",
    "--json": "Use --output-format json or stream-json.",
    "--max-budget-usd": "Use --max-cost USD.",
    "--message": "Use -p PROMPT.",
    "--mcp-config": "Name servers in the repository's `.mcp.json`.",
    "--permission-mode": "Use --plan, or --accept-edits.",
    "--prompt": "Use -p PROMPT.",
    "--sandbox": "Use --contain required.",
    "--search": 'Set "webSearch": true in config.json.',
    "--session-id": "Use --resume ID, or --once KEY.",
    "--system-prompt": "Put instructions into AGENTS.md.",
    "--yes": "Use --accept-edits and --approve-shell.",
    "--yolo": "Use --accept-edits and --approve-shell.",
};

/** What North has in place of other assistants' commands. */
export const COMMANDS_ELSEWHERE: Readonly<Record<string, string>> = {
    config: "Settings are in config.json; `north doctor` shows what it sets.",
    agents: "`north tools` lists the project's agents; /agents shows them in the chat.",
    apply: "Use `north draft apply ID`.",
    exec: 'Use `north -p "PROMPT"`.',
    history: "Use `north conversations`.",
    init: "Use `north learn`.",
    "mcp add":
        "Name the server in `mcp.json` beside config.json, or in the repository's `.mcp.json`.",
    "mcp list": "`north mcp` lists the servers.",
    sessions: "Use `north conversations`.",
    skills: "/skills lists them in the chat.",
    upgrade: "Use `north update`.",
    version: "Use `north --version`.",
};
