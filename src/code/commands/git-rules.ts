import path from "node:path";
import {
    argumentsOf,
    hidden,
    literal,
    needs,
    network,
    other,
    wordAfter,
    writeFacts,
    type ProgramCall,
    type Fact,
    type Word,
} from "./facts.js";
import { ownValue } from "../../base/fields.js";

/** Settings that can be given with `-c` without naming a program or another folder. */
const HARMLESS_SETTINGS =
    /^(?:user|author|committer|color|advice|column|log|pull|push|merge|rebase|diff\.(?:renames|algorithm)|core\.(?:quotepath|autocrlf|eol|abbrev|filemode)|init\.defaultbranch|(?:commit|tag)\.gpgsign|safe\.directory)\b(?!.*(?:driver|tool|command|gpg\.program))/i;

/** Subcommands that change nothing in the repository they run in. */
const READERS =
    /^(?:$|status|log|diff|show|blame|annotate|grep|ls-.*|rev-.*|cat-file|describe|shortlog|name-rev|merge-base|count-objects|fsck|help|version|var|config|check-.*|for-each-ref|symbolic-ref|whatchanged)$/;

/** Subcommands that reach a remote repository. */
const REMOTE = /^(?:push|pull|fetch|clone|ls-remote)$/;

/** What a git command does that git cannot undo, that leaves this machine or runs later. */
export function gitFacts(call: ProgramCall): readonly Fact[] {
    let { folder } = call;
    let index = 0;
    const facts: Fact[] = [];
    for (; call.args[index]?.text.startsWith("-"); index += 1) {
        const text = call.args[index]?.text ?? "";
        const [, option = "", attached] =
            /^(-[cC]|--(?:git-dir|work-tree|namespace|exec-path|config-env))(=[^]*)?$/.exec(text) ??
            [];
        if (option === "" || text === "--exec-path") continue;
        if (attached === undefined) index += 1;
        const word = call.args[index];
        const value = attached && word ? wordAfter(word, option.length + 1) : word;
        if (option === "-C" || option === "--work-tree") folder = resolveFolder(folder, value);
        else if (/^(?:-c|--config-env)$/.test(option)) facts.push(...settingFacts(value));
        else facts.push(other(`sets git's ${option.slice(2)}`));
    }
    const command = call.args[index]?.text ?? "";
    const own = { ...call, folder, args: call.args.slice(index + 1) };
    const rule = ownValue(RULES, command);
    // A commit in another folder is a write there.
    if (folder !== undefined && !READERS.test(command)) {
        facts.push(...writeFacts(own, [literal(".")]));
    }
    if (isRemote(command, own.args)) facts.push(remoteFact(command, own.args));
    return [...facts, ...outputFacts(own), ...(rule?.(own) ?? [])];
}

/** Variables of git that name no program, file or other repository. */
const HARMLESS_VARIABLES =
    /^GIT_(?:AUTHOR_|COMMITTER_|TERMINAL_PROMPT|OPTIONAL_LOCKS|MERGE_AUTOEDIT|LFS_|PAGER=(?:cat)?$|(?:SEQUENCE_)?EDITOR=(?:true|:)$)/;

/** What an assignment sets for git, as `GIT_WORK_TREE=…`. */
export function variableFacts(assignment: string): readonly Fact[] {
    if (!assignment.startsWith("GIT_") || HARMLESS_VARIABLES.test(assignment)) return [];
    return [hidden(`sets git's ${assignment.split("=", 1)[0]}`)];
}

function settingFacts(word: Word | undefined): readonly Fact[] {
    if (word === undefined) return [];
    const [key = ""] = word.text.split("=", 1);
    if (word.kind === "literal" && (!key.includes(".") || HARMLESS_SETTINGS.test(key))) return [];
    return [hidden(`sets git's ${word.kind === "literal" ? key : word.shown}`)];
}

/** `git clone ../other` needs no network. */
function isRemote(command: string, args: readonly Word[]): boolean {
    if (command === "submodule") return args[0]?.text === "add";
    if (!REMOTE.test(command)) return false;
    const [from] = argumentsOf(args, "bco").operands;
    return command !== "clone" || from?.kind !== "literal" || from.text.includes(":");
}

/** A push takes credentials, a clone makes a repository, and SSH takes more than HTTP. */
function remoteFact(command: string, args: readonly Word[]): Fact {
    const isSsh = args.some(({ text }) => /^ssh:|^[^/:@]+@[^/:@]+:/.test(text));
    const name = `git ${command}`;
    const isFetch = /^(?:fetch|pull|ls-remote)$/.test(command) && !isSsh;
    return isFetch ? network(name) : needs(`${name} needs the network`);
}

const OUTPUT = /^(?:--(?:output(?:-directory)?|separate-git-dir|prefix)=|-o(?=[~/]|\.\.))/;

/** Files that options name, as `git diff --output=FILE`. */
function outputFacts({ args, folder }: ProgramCall): readonly Fact[] {
    const words = args.flatMap((word, index) => {
        const [option] = OUTPUT.exec(word.text) ?? [];
        if (option !== undefined) return [wordAfter(word, option.length)];
        const isNext = OUTPUT.test(`${args[index - 1]?.text}=`);
        return isNext ? [word] : [];
    });
    return writeFacts({ folder }, words);
}

/** Resolves a folder against another one; `undefined` if it is unknown. */
export function resolveFolder(
    folder: string | undefined,
    word: Word | undefined
): string | undefined {
    if (folder === undefined || word?.kind !== "literal") return undefined;
    const isOwn = word.text.startsWith("/") || word.shown.startsWith("~");
    return isOwn ? word.text : path.posix.join(folder, word.text);
}

const RULES: Readonly<Record<string, (call: ProgramCall) => readonly Fact[]>> = {
    push: pushFacts,
    config: configFacts,
    clone: (call) => writeFacts(call, argumentsOf(call.args, "bcoju").operands.slice(1, 2)),
    init: (call) => writeFacts(call, argumentsOf(call.args, "b").operands.slice(0, 1)),
    archive: writtenByOption,
    bundle: ({ args, folder }) =>
        args[0]?.text === "create" ? writeFacts({ folder }, args.slice(1, 2)) : [],
    "format-patch": writtenByOption,
    clean: (call) => {
        const { has, operands } = argumentsOf(call.args, "e");
        if (has("n", "dry-run") || !has("f", "force")) return [];
        const others = has("x") ? "untracked or ignored" : "untracked";
        const among = has("X") ? "ignored" : others;
        const words = operands.length > 0 ? operands : [literal(".")];
        return [
            { kind: "files", does: "deletes", words, folder: call.folder, isDeep: true, among },
        ];
    },
    rm: (call) => {
        const { has, operands } = argumentsOf(call.args);
        if (has("cached", "n", "dry-run") || operands.length === 0) return [];
        const isDeep = has("r");
        return [{ kind: "files", does: "deletes", words: operands, folder: call.folder, isDeep }];
    },
    reset: (call) => (argumentsOf(call.args).has("hard") ? discardFacts(call) : []),
    checkout: (call) => {
        const { has, operands } = argumentsOf(call.args, "bB");
        if (has("f", "force")) return discardFacts(call);
        if (has("b", "B", "orphan", "help")) return [];
        const dashes = call.args.findIndex(({ text }) => text === "--");
        const named = dashes < 0 ? operands.slice(1) : call.args.slice(dashes + 1);
        const words = operands.length === 1 && dashes < 0 ? operands : named;
        // A lone operand may name a branch or a file. If both exist, git picks the branch and
        // leaves the file alone.
        return discardFacts(call, words);
    },
    restore: (call) => {
        const { has, operands } = argumentsOf(call.args, "s");
        const isIndexOnly = has("staged", "S") && !has("worktree", "W");
        return isIndexOnly ? [] : discardFacts(call, operands);
    },
    switch: (call) =>
        argumentsOf(call.args, "cC").has("f", "force", "discard-changes") ? discardFacts(call) : [],
    stash: ({ args }) => {
        const action = args[0]?.text ?? "";
        if (action === "clear") return [other("deletes all stashes")];
        return action === "drop" ? [other("deletes a stash")] : [];
    },
    branch: ({ args }) => {
        const { has, operands } = argumentsOf(args, "u");
        const isForced = has("D") || (has("d", "delete") && has("f", "force"));
        return isForced ? [other(`deletes the branch ${shownOf(operands)}, merged or not`)] : [];
    },
    tag: ({ args }) => {
        const { has, operands } = argumentsOf(args, "mFu");
        return has("d", "delete") ? [other(`deletes the tag ${shownOf(operands)}`)] : [];
    },
    worktree: (call) => {
        const { has, operands } = argumentsOf(call.args, "bB");
        const [action, ...words] = operands;
        if (action?.text === "add") return writeFacts(call, words.slice(0, 1));
        if (action?.text !== "remove" || !has("f", "force")) return [];
        return [other(`deletes the worktree ${shownOf(words)}`)];
    },
    reflog: ({ args }) =>
        /^(expire|delete)$/.test(args[0]?.text ?? "") ? [other("deletes the log of commits")] : [],
    "update-ref": ({ args }) => (argumentsOf(args).has("d") ? [other("deletes a reference")] : []),
    "filter-branch": () => [other("rewrites history")],
    "filter-repo": () => [other("rewrites history")],
};

/** `git archive -o FILE` */
function writtenByOption(call: ProgramCall): readonly Fact[] {
    const at = call.args.findIndex(({ text }) => text === "-o" || text === "--output");
    return writeFacts(call, at < 0 ? [] : call.args.slice(at + 1, at + 2));
}

/** Settings name programs that git runs later: hooks, aliases, pagers, filters. */
function configFacts({ args }: ProgramCall): readonly Fact[] {
    const { has, operands } = argumentsOf(args, "f", new Set(["file", "blob", "type", "default"]));
    const [first, ...others] = operands;
    const isRead =
        has("get", "get-all", "get-regexp", "get-urlmatch", "get-color", "list", "l", "h") ||
        /^(?:get|list)$/.test(first?.text ?? "");
    const edits = has("e", "edit", "unset", "unset-all", "remove-section", "rename-section");
    const isWrite = edits || others.length > 0 || first?.text === "edit";
    if (isRead || !isWrite) return [];
    const named = /^(?:set|unset|edit)$/.test(first?.text ?? "") ? others[0] : first;
    const reach = has("global", "system") ? " for all projects" : "";
    const text = `changes git's settings${reach}: ${named?.shown ?? "in an editor"}`;
    const isAlias = named?.kind !== "literal" || /^alias\./i.test(named.text);
    return [isAlias ? hidden(text) : other(text)];
}

/** Discards changes to tracked files: the named ones, by default in the whole work tree. */
function discardFacts(
    { folder }: ProgramCall,
    words: readonly Word[] = [literal(":/")]
): readonly Fact[] {
    if (words.length === 0) return [];
    return [{ kind: "files", does: "overwrites", words, folder, isDeep: true, among: "changed" }];
}

function pushFacts({ args }: ProgramCall): readonly Fact[] {
    const { has, operands } = argumentsOf(args, "o");
    if (has("n", "dry-run")) return [];
    const [remote, ...references] = operands.map(({ shown }) => shown);
    const isForced =
        has("f", "force", "force-with-lease", "mirror") ||
        references.some((reference) => reference.startsWith("+"));
    const names = references.map((reference) => reference.replace(/^\+/, ""));
    const deleted = has("d", "delete")
        ? names
        : names.filter((name) => name.startsWith(":")).map((name) => name.slice(1));
    if (deleted.length > 0) {
        return [other(`deletes ${deleted.join(", ")} on ${remote ?? "the remote"}`)];
    }
    const targets = names.map((name) => `${remote ?? ""}/${name.slice(name.indexOf(":") + 1)}`);
    const to = targets.length > 0 ? ` to ${targets.join(", ")}` : remote ? ` to ${remote}` : "";
    return [other(`pushes${to}${isForced ? ", force" : ""}`)];
}

function shownOf(words: readonly Word[]): string {
    return words.map(({ shown }) => shown).join(", ");
}
