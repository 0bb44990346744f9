import type { Tree } from "web-tree-sitter";
import { startCpuClock } from "../../base/cpu-clock.js";
import { withTree, type ParseBounds } from "../grammars.js";
import type { TreeReader } from "../language.js";
import { unlessTooComplex } from "../too-complex.js";
import { endsInBackground, type CheckRun, type Script } from "./check-order.js";
import { needs, type Fact, type KnownCall } from "./facts.js";
import { type TreeFacts, TreeWalk } from "./read-tree.js";

interface CommandFacts extends Omit<TreeFacts, "checks" | "scripts"> {
    readonly checks: readonly (Omit<CheckRun, "later" | "precedesScripts"> & {
        readonly later: readonly Fact[];
    })[];
}

/** The first reason why the command line is known to fail contained. */
export function needIn(facts: readonly Fact[]): string | undefined {
    return facts.find((fact) => fact.kind === "needs")?.text;
}

/** Why the command line reaches hosts, as `CommandForecast.network`. */
export function networkIn(facts: readonly Fact[]): string | undefined {
    return facts.find((fact) => fact.kind === "network")?.text;
}

const BASH: TreeReader = { kind: "tree", grammar: "bash", query: "" };
const MAX_LENGTH = 20_000;
/**
 * The parser takes quadratic time for some texts full of operators, and thousands of nested ones
 * exhaust its memory.
 */
const MAX_SIGNS = 1_000;
const SIGNS = /[^\w\s.,:/=@%+-]/g;
/** Nested command lines: `bash -c "bash -c …"`. */
const MAX_SCRIPTS = 50;
const MAX_DEPTH = 4;
const LIMIT_MS = 1_000;

/**
 * Parses a command line with the bash grammar, and the command lines that it passes to a shell,
 * within the time limit.
 */
export async function readCommand(
    command: string,
    signal?: AbortSignal,
    limitMs = LIMIT_MS
): Promise<CommandFacts> {
    const spentMs = startCpuClock();
    const isLate = () => spentMs() > limitMs;
    const facts: Fact[] = [];
    const nested: Fact[] = [];
    const calls: KnownCall[] = [];
    const checks: CheckRun[] = [];
    const whole: Partial<Script> & Pick<Script, "text"> = { text: command, folder: "" };
    const scripts = [{ ...whole, depth: 0 }];
    let isComplete = true;
    let hasOthers = false;
    let leavesShell = true;
    for (const [index, { text, folder, depth, from }] of scripts.entries()) {
        const isTooMuch = index >= MAX_SCRIPTS || depth > MAX_DEPTH || isLate();
        const read =
            isTooMuch || !isReadable(text)
                ? undefined
                : await parseScript(text, folder, { signal, isLate });
        if (read === undefined) {
            isComplete = false;
            continue;
        }
        facts.push(...read.facts);
        if (depth > 0) nested.push(...read.facts);
        calls.push(...read.calls);
        isComplete &&= read.isComplete;
        hasOthers ||= read.hasOthers;
        leavesShell &&= read.leavesShell;
        checks.push(...read.checks.map((check) => ({ ...check, ...inside(check, from) })));
        if (depth === 0 && read.isBackground) facts.push(needs("Runs in the background as a job"));
        for (const script of read.scripts) {
            scripts.push({ ...script, from: inside(script.from, from), depth: depth + 1 });
        }
    }
    leavesShell &&= isComplete;
    return {
        ...{ facts, calls, isComplete, leavesShell },
        checks: checks.map(({ precedesScripts, ...check }) => ({
            ...check,
            decides: check.decides && leavesShell,
            later: precedesScripts ? [...check.later, ...nested] : check.later,
        })),
        hasOthers: hasOthers || !isComplete,
    };
}

/** What is known of a part of a script, from where the script itself is. */
function inside(part: Script["from"], outer: Script["from"] | undefined): Script["from"] {
    if (outer === undefined) return part;
    const decides = part.decides && outer.decides;
    const isFollowed = part.isFollowed || outer.isFollowed;
    const later = [...part.later, ...outer.later];
    const precedesScripts = part.precedesScripts || outer.precedesScripts;
    return { statement: outer.statement, decides, isFollowed, later, precedesScripts };
}

function parseScript(text: string, folder: string | undefined, bounds: ParseBounds) {
    const read = ({ rootNode }: Tree) => ({
        ...new TreeWalk(text, folder).read(rootNode),
        isBackground: endsInBackground(rootNode),
    });
    return unlessTooComplex(withTree(BASH, text, read, bounds));
}

function isReadable(text: string): boolean {
    return text.length <= MAX_LENGTH && (text.match(SIGNS)?.length ?? 0) <= MAX_SIGNS;
}
