import path from "node:path";
import { domainToASCII } from "node:url";
import ignore from "ignore";
import { leavesFolder } from "../../base/paths.js";
import { parseUrl } from "../../base/parse-url.js";
import type { KnownCall } from "../../code/commands/facts.js";
import { readCommand } from "../../code/commands/read-command.js";
import type { JsonObject } from "../../plugin/index.js";

/** Tools whose paths a rule for another of them covers, as in Claude Code's permission rules. */
const EDITS: readonly string[] = ["Edit", "MultiEdit", "NotebookEdit", "Write"];
const READS: readonly string[] = ["Glob", "Grep", "Read"];

/**
 * Whether an event meets a hook's `if`, a permission rule such as `Bash(git push *)` or `Edit(*.ts)`:
 * https://code.claude.com/docs/en/permissions. A rule that cannot be told from the event counts as
 * met, so that the guard runs.
 */
export async function meetsCondition(
    condition: string,
    { tool_name: tool, tool_input: input }: { tool_name: string; tool_input: JsonObject },
    root: string
): Promise<boolean> {
    const [, ruleTool = "", content] = /^([^()]+)(?:\(([^]*)\))?$/.exec(condition.trim()) ?? [];
    const tools = [EDITS, READS].find((group) => group.includes(ruleTool)) ?? [ruleTool];
    if (!tools.some((name) => matcherOf(name)(tool))) return false;
    if (content === undefined || content === "" || content === "*") return true;
    if (tool === "Bash") return matchesCommand(content, input);
    if (tool === "WebFetch") return matchesHost(content, input);
    const file = input.file_path ?? input.path;
    return typeof file === "string" ? matchesPath(content, file, root) : true;
}

async function matchesCommand(rule: string, { command }: JsonObject): Promise<boolean> {
    if (typeof command !== "string") return true;
    const { calls, facts, isComplete } = await readCommand(command);
    const hidesProgram = facts.some((fact) => fact.kind === "other" && fact.hidesProgram);
    if (!isComplete || hidesProgram) return true;
    const matches = matcherOf(rule.replace(/:\*$/, " *"));
    return matches(command) || calls.some((call) => mayMatch(call, rule, matches));
}

/** Whether a call meets a rule, also without the options before its first words. */
function mayMatch(
    { words: [name = "", ...args], isWhole }: KnownCall,
    rule: string,
    matches: (text: string) => boolean
): boolean {
    const [start = ""] = rule.split("*", 1);
    for (let from = 0; from <= args.length; from += 1) {
        const text = [name, ...args.slice(from)].join(" ");
        const mayGoOn = `${text} `.startsWith(start) || start.startsWith(`${text} `);
        if (matches(text) || (!isWhole && mayGoOn)) return true;
        // The value of an option too.
        if (![args[from], args[from - 1]].some((word) => word?.startsWith("-"))) break;
    }
    return false;
}

/** `*` stands for anything, and ` *` at the end for no argument too. */
function matcherOf(rule: string): (text: string) => boolean {
    const [first = "", ...rest] = rule.split("*");
    const last = rest.pop();
    return (given) => {
        const text = rule.endsWith(" *") ? `${given.trim()} ` : given.trim();
        if (last === undefined) return text === first;
        if (!text.startsWith(first)) return false;
        // Not a regular expression, which could backtrack for long.
        let from = first.length;
        for (const part of rest) {
            const found = text.indexOf(part, from);
            if (found < 0) return false;
            from = found + part.length;
        }
        return text.length - last.length >= from && text.endsWith(last);
    };
}

function matchesHost(rule: string, { url }: JsonObject): boolean {
    const [, host] = /^domain:(.+)$/.exec(rule) ?? [];
    const address = typeof url === "string" ? parseUrl(url) : undefined;
    if (host === undefined || !address) return true;
    // As browsers spell it; `example.org.` is `example.org`.
    return matcherOf(domainToASCII(host) || host)(address.hostname.replace(/\.$/, ""));
}

/** As in `.gitignore`: `//` begins at the root of the file system, `/` at the project's. */
function matchesPath(rule: string, file: string, root: string): boolean {
    const location = path.resolve(root, file);
    const isAbsolute = rule.startsWith("//");
    const relative = path.relative(isAbsolute ? "/" : root, location);
    if (rule.startsWith("~/") || relative === "") return true;
    if (leavesFolder(relative)) return false;
    const pattern = isAbsolute ? rule.slice(1) : rule.replace(/^\.\//, "/");
    return ignore().add(pattern).ignores(relative);
}
