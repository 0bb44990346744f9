import type { Node } from "web-tree-sitter";
import { factsOf } from "./call-facts.js";
import {
    decidingCommands,
    endOfRun,
    statementOf,
    type CheckRun,
    type Script,
} from "./check-order.js";
import { isCheck, nameOfCheck } from "./check-rules.js";
import {
    argumentsOf,
    atRunTime,
    hidden,
    knownCall,
    other,
    unknown,
    writeFacts,
    type KnownCall,
    type ProgramCall,
    type Fact,
} from "./facts.js";
import { overwriteFacts } from "./file-rules.js";
import { resolveFolder } from "./git-rules.js";
import { computes, hiddenFacts, hiddenLines, isMisread, linesIn } from "./hidden-lines.js";
import { leavesShell } from "./shell-state.js";
import { DOWNLOADERS, isInterpreter, readsInput, SHELLS, unwrap } from "./unwrap.js";
import { shellLine, wordOf, wordsOf, type ShellLine } from "./words.js";

export interface TreeFacts {
    readonly facts: readonly Fact[];
    readonly scripts: readonly Script[];
    /** Each program that it runs with its arguments, without wrappers such as `sudo`. */
    readonly calls: readonly KnownCall[];
    /** False if any part was not understood. */
    readonly isComplete: boolean;
    readonly checks: readonly CheckRun[];
    /** Whether it may write files by other means than its checks. */
    readonly hasOthers: boolean;
    /** Whether each program name means the same in all of it, and after it. */
    readonly leavesShell: boolean;
}

/** A command of the tree, and what of it matters for the checks. */
interface Program {
    readonly node: Node;
    readonly checks: readonly Pick<CheckRun, "name" | "places">[];
    readonly scripts: readonly string[];
    readonly folder: string | undefined;
    readonly decides: boolean;
    /** Writes no files, unless redirected. */
    readonly isSilent: boolean;
}

type Step =
    | { readonly node: Node; readonly input?: ProgramCall["input"] }
    | { readonly back: string | undefined };

/** More than anybody reads. */
const MAX_FACTS = 200;

/** Nodes whose contents may not run, or may run later from another folder. */
const BRANCHES = new Set([
    "if_statement",
    "while_statement",
    "for_statement",
    "c_style_for_statement",
    "case_statement",
    "function_definition",
]);
const SILENT = new Set(
    "cd pushd popd set shopt export unset local declare echo printf true false : test [ exit return sleep wait".split(
        " "
    )
);
const MOVES = /\b(?:cd|pushd|popd)\b/;
const SUBSHELLS = new Set(["subshell", "command_substitution", "process_substitution"]);

/** Walks a tree without recursion, because its depth is untrusted. */
export class TreeWalk {
    /** Each with where in the text it begins. */
    private readonly noted: { readonly fact: Fact; readonly at: number }[] = [];
    private at = 0;
    private readonly inputScripts: Script[] = [];
    private readonly calls: KnownCall[] = [];
    private readonly steps: Step[] = [];
    private readonly changesFolder: boolean;
    private readonly line: ShellLine;
    private deciding: ReadonlySet<number> = new Set();
    private isWhole = true;
    private readonly programs: Program[] = [];

    constructor(
        private readonly source: string,
        private folder: string | undefined
    ) {
        this.changesFolder = MOVES.test(source);
        this.line = shellLine(source);
    }

    read(root: Node): TreeFacts {
        this.deciding = decidingCommands(root);
        this.steps.push({ node: root });
        for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) {
            if ("back" in step) this.folder = step.back;
            else this.visit(step.node, step.input);
            if (this.noted.length > MAX_FACTS) {
                this.isWhole = false;
                break;
            }
        }
        const { calls, isWhole: isComplete, programs } = this;
        const facts = this.noted.map(({ fact }) => fact);
        const lastOf = (isMeant: (program: Program) => boolean) =>
            Math.max(-1, ...programs.filter(isMeant).map(({ node }) => node.startIndex));
        const lastWriter = lastOf(({ isSilent }) => !isSilent);
        const lastShell = lastOf(({ scripts: texts }) => texts.length > 0);
        const places = programs
            .filter(({ checks: names, scripts: texts }) => names.length + texts.length > 0)
            .map((program) => ({
                ...program,
                from: this.scriptOf(program, lastWriter, lastShell),
            }));
        const checks = places.flatMap(({ checks: names, from }) =>
            names.map((check) => ({ ...check, ...from }))
        );
        const scripts = places.flatMap(({ scripts: texts, folder, from }) =>
            texts.map((text) => ({ text, folder, from }))
        );
        const hasOthers = programs.some(
            ({ checks: own, scripts: inner, isSilent }) =>
                own.length + inner.length === 0 && !isSilent
        );
        return {
            ...{ facts, calls, scripts: [...scripts, ...this.inputScripts], isComplete, checks },
            hasOthers: hasOthers || facts.some(({ kind }) => kind === "files"),
            leavesShell: isComplete && leavesShell(root, this.line),
        };
    }

    /** `lastWriter` and `lastShell`: where the last programs begin that write, and that are shells. */
    private scriptOf(
        { node, decides }: Program,
        lastWriter: number,
        lastShell: number
    ): Script["from"] {
        const end = endOfRun(node);
        const later = this.noted.flatMap(({ fact, at }) =>
            at >= end && fact.kind === "files" ? fact : []
        );
        const { text: statement } = statementOf(node);
        const isFollowed = later.length > 0 || lastWriter >= end;
        return { statement, decides, isFollowed, later, precedesScripts: lastShell >= end };
    }

    private note(...facts: readonly Fact[]): void {
        this.noted.push(...facts.map((fact) => ({ fact, at: this.at })));
    }

    private visit(node: Node, input: ProgramCall["input"]): void {
        const { type } = node;
        this.at = node.startIndex;
        if (node.isError || node.isMissing) {
            this.isWhole = false;
            return;
        }
        this.addScripts(node, hiddenLines(node, this.line));
        this.note(...hiddenFacts(node));
        if (node.childCount === 0) return;
        if (BRANCHES.has(type) && this.changesFolder) this.folder = undefined;
        if (SUBSHELLS.has(type)) this.steps.push({ back: this.folder });
        const children = node.children.filter((child) => child !== null);
        if (type === "pipeline") return this.visitPipeline(children, input);
        if (type === "list" && children.some((child) => child.type === "||")) {
            return this.visitAlternatives(children);
        }
        if (type === "command") this.readCall(node, children, input);
        if (type === "file_redirect") this.readRedirect(children);
        if (type === "redirected_statement") {
            this.readHereDocument(children);
            return this.push(children, input ?? this.inputOf(children));
        }
        // The reader of a here-document is inside its node: `cat <<END | sh`.
        this.push(children, type === "heredoc_redirect" ? "text" : input);
    }

    private push(children: readonly Node[], input?: ProgramCall["input"]): void {
        for (const node of children.toReversed()) {
            this.steps.push(input ? { node, input } : { node });
        }
    }

    /** Each part of a pipe runs in its own shell. */
    private visitPipeline(children: readonly Node[], input: ProgramCall["input"]): void {
        const before = this.folder;
        let given = input;
        const steps: Step[] = [];
        for (const node of children) {
            if (!node.isNamed) continue;
            steps.push(given ? { node, input: given } : { node }, { back: before });
            const downloads = this.callsOf(node).some(({ name }) => DOWNLOADERS.has(name));
            given = downloads || given === "download" ? "download" : "text";
        }
        this.steps.push(...steps.reverse());
    }

    /** The right side of `||` runs only if the left fails, so its folder may be unknown. */
    private visitAlternatives(children: readonly Node[]): void {
        const [left, ...right] = children;
        if (left === undefined) return;
        if (!this.changesFolder) return this.push(children);
        const [moved] = this.callsOf(left);
        const stays = left.type === "list" ? undefined : this.folder;
        const back = moved?.name === "cd" ? resolveFolder(this.folder, moved.args[0]) : stays;
        const mayMove = right.some(({ text }) => MOVES.test(text));
        this.steps.push({ back: mayMove ? undefined : back });
        this.push(right);
        this.steps.push({ back: undefined }, { node: left });
    }

    /** The programs that a command runs; none if the node is more than one command. */
    private callsOf(node: Node): readonly ProgramCall[] {
        const command =
            node.type === "redirected_statement" ? node.childForFieldName("body") : node;
        if (command?.type !== "command") return [];
        return unwrap(wordsOf(command.children, this.line), { folder: this.folder }).calls;
    }

    /** `< file`, `<<< text` and here-documents. */
    private inputOf(redirects: readonly Node[]): ProgramCall["input"] {
        const isInput = ({ type, children }: Node) =>
            /^here/.test(type) ||
            (type === "file_redirect" && children.some((child) => child?.type === "<"));
        return redirects.some(isInput) ? "file" : undefined;
    }

    private readCall(node: Node, children: readonly Node[], input: ProgramCall["input"]): void {
        const { folder } = this;
        const given = input ?? this.inputOf(children);
        const found = unwrap(wordsOf(children, this.line), {
            folder,
            ...(given ? { input: given } : {}),
        });
        const isScript = found.scripts.length > 0 && found.paths.length > 0;
        const decides = this.deciding.has(node.id) && !found.hidesExit && !isScript;
        this.isWhole &&= found.isComplete && !isMisread(children, this.source);
        this.note(...found.facts);
        this.programs.push({
            ...{ node, folder, decides },
            checks: found.calls.filter(isCheck).map((call) => ({
                name: nameOfCheck(call),
                places: [folder, ...found.paths.map((word) => resolveFolder(folder, word))],
            })),
            scripts: found.scripts.filter((text) => text !== ""),
            isSilent: found.calls.every(({ name }) => SILENT.has(name)),
        });
        for (const call of found.calls) {
            this.note(...factsOf(call));
            this.calls.push(knownCall(call));
            this.move(call);
            if (computes(call.name, call.args)) {
                this.addScripts(
                    node,
                    call.args.flatMap(({ text }) => linesIn(text))
                );
            }
            this.readSubstitutions(call, children);
        }
    }

    /** `bash <(curl …)`, `eval "$(curl …)"`, `bash <<< "…"`. */
    private readSubstitutions({ name, args }: ProgramCall, children: readonly Node[]): void {
        if (!isInterpreter(name) && !/^(?:eval|source|\.)$/.test(name)) return;
        const inner = children.filter(({ type }) =>
            /^(?:string|concatenation|command_substitution|process_substitution)$/.test(type)
        );
        const text = inner
            .map((node) => this.source.slice(node.startIndex, node.endIndex))
            .join(" ")
            .slice(0, 2_000);
        if (/(?:[<$]\(|`)\s*(?:sudo\s+)?(?:curl|wget)\s/.test(text)) {
            this.note(hidden("downloads and runs"));
        } else if (inner.some(({ type }) => type === "process_substitution")) {
            this.note(atRunTime("runs what is", text));
        }
        const here = children.find(({ type }) => type === "herestring_redirect")?.lastChild;
        if (here && (SHELLS.has(name) || /^(?:source|\.)$/.test(name)) && readsInput(args)) {
            const { text: script } = wordOf(here, { ...this.line, hasFolders: true });
            this.addScripts(here, [script]);
        }
    }

    private move({ name, args }: ProgramCall): void {
        const mayMove = name === "eval" && args.some(({ text }) => MOVES.test(text));
        if (name === "popd" || mayMove) this.folder = undefined;
        if (name !== "cd" && name !== "pushd") return;
        const [target] = argumentsOf(args).operands;
        const isKnown = target?.text !== "-" && this.line.hasFolders;
        this.folder = isKnown ? resolveFolder(this.folder, target) : undefined;
    }

    private readRedirect(children: readonly Node[]): void {
        const operator = children.find(({ isNamed }) => !isNamed)?.type ?? "";
        const target = children.at(-1);
        if (!/^(?:>>?|>\||&>>?|>&)$/.test(operator) || target === undefined) return;
        const isDescriptor = operator === ">&" && /^(?:number|file_descriptor)$/.test(target.type);
        const read = wordOf(target, this.line);
        // A name of its own, unless it matches one file.
        const word = read.kind === "pattern" ? unknown(read.shown) : read;
        const [, host] = /^\/dev\/(?:tcp|udp)\/(.+)$/.exec(word.text) ?? [];
        if (host !== undefined) return void this.note(other(`sends data to ${host}`));
        if (
            isDescriptor ||
            target.type === "process_substitution" ||
            (/^[\d-]/.test(word.text) && operator === ">&")
        ) {
            return;
        }
        const facts = operator.endsWith(">>") ? writeFacts : overwriteFacts;
        this.note(...facts({ folder: this.folder }, [word]));
    }

    /** Adds the here-document that a shell runs as a script. */
    private readHereDocument(children: readonly Node[]): void {
        const [body] = children;
        const document = children.find(({ type }) => type === "heredoc_redirect");
        if (body === undefined || document === undefined) return;
        const text = document.namedChildren.find((child) => child?.type === "heredoc_body");
        const readsIt = this.callsOf(body).some(
            ({ name, args }) => SHELLS.has(name) && readsInput(args)
        );
        if (!readsIt || !text) return;
        this.addScripts(body, [this.source.slice(text.startIndex, text.endIndex)]);
    }

    /** Adds command lines that run, but whose results are not known. */
    private addScripts(node: Node, texts: readonly string[]): void {
        if (texts.length === 0) return;
        const { text: statement } = statementOf(node);
        const from = { statement, decides: false, isFollowed: true, later: [] };
        const { folder } = this;
        this.inputScripts.push(
            ...texts.map((text) => ({ text, folder, from: { ...from, precedesScripts: true } }))
        );
    }
}
