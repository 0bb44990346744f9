import type { Node } from "web-tree-sitter";
import { other, type Call, type Fact, type Word } from "./facts.js";
import { FILE_RULES, overwriteFacts } from "./file-rules.js";
import { resolveFolder, gitFacts } from "./git-rules.js";
import { otherFacts } from "./other-rules.js";
import { DOWNLOADERS, isInterpreter, readsInput, SHELLS, unwrap } from "./unwrap.js";
import { wordOf } from "./words.js";

/** A command line passed to a shell, and the folder it starts in. */
export interface Script {
    readonly text: string;
    readonly folder: string | undefined;
}

export interface TreeFacts {
    readonly facts: readonly Fact[];
    readonly scripts: readonly Script[];
    readonly isComplete: boolean;
}

type Step =
    { readonly node: Node; readonly input?: Call["input"] } | { readonly back: string | undefined };

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
const SUBSHELLS = new Set(["subshell", "command_substitution", "process_substitution"]);

/** Walks a tree without recursion, because its depth is untrusted. */
export class TreeWalk {
    private readonly facts: Fact[] = [];
    private readonly scripts: Script[] = [];
    private readonly steps: Step[] = [];
    private readonly changesFolder: boolean;
    private isWhole = true;

    constructor(
        private readonly source: string,
        private folder: string | undefined
    ) {
        this.changesFolder = /\b(?:cd|pushd|popd)\b/.test(source);
    }

    read(root: Node): TreeFacts {
        this.steps.push({ node: root });
        for (let step = this.steps.pop(); step !== undefined; step = this.steps.pop()) {
            if ("back" in step) this.folder = step.back;
            else this.visit(step.node, step.input);
            if (this.facts.length > MAX_FACTS) {
                this.isWhole = false;
                break;
            }
        }
        return { facts: this.facts, scripts: this.scripts, isComplete: this.isWhole };
    }

    private visit(node: Node, input: Call["input"]): void {
        const { type } = node;
        if (node.isError || node.isMissing) {
            this.isWhole = false;
            return;
        }
        if (node.childCount === 0) return;
        if (BRANCHES.has(type) && this.changesFolder) this.folder = undefined;
        if (SUBSHELLS.has(type)) this.steps.push({ back: this.folder });
        const children = node.children.filter((child) => child !== null);
        if (type === "pipeline") return this.visitPipeline(children, input);
        if (type === "list" && children.some((child) => child.type === "||")) {
            return this.visitAlternatives(children);
        }
        if (type === "command") this.readCall(children, input);
        if (type === "file_redirect") this.readRedirect(children);
        if (type === "redirected_statement") this.readHereDocument(children);
        // The reader of a here-document is inside its node: `cat <<END | sh`.
        this.push(children, type === "heredoc_redirect" ? "text" : input);
    }

    private push(children: readonly Node[], input?: Call["input"]): void {
        for (const node of children.toReversed()) {
            this.steps.push(input ? { node, input } : { node });
        }
    }

    /** Each part of a pipe runs in its own shell. */
    private visitPipeline(children: readonly Node[], input: Call["input"]): void {
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
        this.steps.push({
            back: moved?.name === "cd" ? resolveFolder(this.folder, moved.args[0]) : stays,
        });
        this.push(right);
        this.steps.push({ back: undefined }, { node: left });
    }

    /** The programs that a command runs; none if the node is more than one command. */
    private callsOf(node: Node): readonly Call[] {
        const command =
            node.type === "redirected_statement" ? node.childForFieldName("body") : node;
        if (command?.type !== "command") return [];
        const children = command.children.filter((child) => child !== null);
        return unwrap(this.wordsOf(children), { folder: this.folder }).calls;
    }

    private wordsOf(children: readonly Node[]): Word[] {
        return children
            .filter(({ type }) => type !== "variable_assignment" && !type.endsWith("_redirect"))
            .map((child) => {
                const name = child.type === "command_name" ? child.child(0) : child;
                return wordOf(name ?? child, this.source);
            });
    }

    private readCall(children: readonly Node[], input: Call["input"]): void {
        const { folder } = this;
        const found = unwrap(this.wordsOf(children), { folder, ...(input ? { input } : {}) });
        this.isWhole &&= found.isComplete;
        this.facts.push(...found.facts);
        for (const text of found.scripts) if (text !== "") this.scripts.push({ text, folder });
        for (const call of found.calls) {
            this.facts.push(...factsOf(call));
            this.move(call);
            this.readSubstitutions(call, children);
        }
    }

    /** `bash <(curl …)`, `eval "$(curl …)"`, `bash <<< "…"`. */
    private readSubstitutions({ name, args }: Call, children: readonly Node[]): void {
        if (!isInterpreter(name) && !/^(?:eval|source|\.)$/.test(name)) return;
        const inner = children.filter(({ type }) =>
            /^(?:string|concatenation|command_substitution|process_substitution)$/.test(type)
        );
        const text = inner
            .map((node) => this.source.slice(node.startIndex, node.endIndex))
            .join(" ")
            .slice(0, 2_000);
        if (/(?:[<$]\(|`)\s*(?:sudo\s+)?(?:curl|wget)\s/.test(text)) {
            this.facts.push(other("downloads and runs"));
        }
        const here = children.find(({ type }) => type === "herestring_redirect")?.lastChild;
        if (here && SHELLS.has(name) && readsInput(args)) {
            this.scripts.push({ text: wordOf(here, this.source).text, folder: this.folder });
        }
    }

    private move({ name, args }: Call): void {
        if (name === "popd") this.folder = undefined;
        if (name !== "cd" && name !== "pushd") return;
        const [target] = args.filter(({ text }) => !/^-[LPe@]$/.test(text));
        this.folder = target?.text === "-" ? undefined : resolveFolder(this.folder, target);
    }

    private readRedirect(children: readonly Node[]): void {
        const operator = children.find(({ isNamed }) => !isNamed)?.type ?? "";
        const target = children.at(-1);
        if (!/^(?:>|>\||&>|>&)$/.test(operator) || target === undefined) return;
        const isDescriptor = operator === ">&" && /^(?:number|file_descriptor)$/.test(target.type);
        const word = wordOf(target, this.source);
        if (
            isDescriptor ||
            target.type === "process_substitution" ||
            (/^[\d-]/.test(word.text) && operator === ">&")
        ) {
            return;
        }
        this.facts.push(...overwriteFacts({ folder: this.folder }, [word]));
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
        this.scripts.push({
            text: this.source.slice(text.startIndex, text.endIndex),
            folder: this.folder,
        });
    }
}

function factsOf(call: Call): readonly Fact[] {
    if (call.name === "git") return gitFacts(call);
    const rule = Object.hasOwn(FILE_RULES, call.name) ? FILE_RULES[call.name] : undefined;
    return [...(rule?.(call) ?? []), ...otherFacts(call)];
}
