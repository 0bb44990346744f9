import path from "node:path";
import { argumentsOf, literal, other, type Call, type Fact, type Word } from "./facts.js";

/** What a git command does that git cannot undo, or that leaves this machine. */
export function gitFacts(call: Call): readonly Fact[] {
    let { folder } = call;
    let index = 0;
    for (; call.args[index]?.text.startsWith("-"); index += 1) {
        const text = call.args[index]?.text ?? "";
        if (!/^-[cC]$|^--(git-dir|work-tree|namespace)$/.test(text)) continue;
        index += 1;
        if (text === "-C") folder = resolveFolder(folder, call.args[index]);
        else if (text !== "-c") folder = undefined;
    }
    const command = call.args[index]?.text ?? "";
    const rule = Object.hasOwn(RULES, command) ? RULES[command] : undefined;
    return rule?.({ ...call, folder, args: call.args.slice(index + 1) }) ?? [];
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

const RULES: Readonly<Record<string, (call: Call) => readonly Fact[]>> = {
    push: pushFacts,
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
    worktree: ({ args }) =>
        args[0]?.text === "remove" && argumentsOf(args).has("f", "force")
            ? [other(`deletes the worktree ${shownOf(argumentsOf(args).operands.slice(1))}`)]
            : [],
    reflog: ({ args }) =>
        /^(expire|delete)$/.test(args[0]?.text ?? "") ? [other("deletes the log of commits")] : [],
    "update-ref": ({ args }) => (argumentsOf(args).has("d") ? [other("deletes a reference")] : []),
    "filter-branch": () => [other("rewrites history")],
    "filter-repo": () => [other("rewrites history")],
};

/** Discards changes to tracked files: the named ones, by default in the whole work tree. */
function discardFacts({ folder }: Call, words: readonly Word[] = [literal(":/")]): readonly Fact[] {
    if (words.length === 0) return [];
    return [{ kind: "files", does: "overwrites", words, folder, isDeep: true, among: "changed" }];
}

function pushFacts({ args }: Call): readonly Fact[] {
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
