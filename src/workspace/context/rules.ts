import { existsSync } from "node:fs";
import { join } from "node:path";
import { entriesBelow } from "../../base/entries-below.js";
import { readFrontMatter } from "../../base/front-matter.js";
import type { ContextRequest } from "../../plugin/index.js";
import { compilePathGlob } from "../listing/find.js";
import { resolveInside } from "../safe-path.js";

const MAX_RULE_BYTES = 64 * 1024;
const MAX_RULES = 200;

/** Where an assistant keeps its rules, and how a rule names the files that it is for. */
interface RuleFolder {
    readonly folder: string;
    readonly file: RegExp;
    readonly globs: string;
    /** Whether a rule without globs applies to every conversation, or is only described to models. */
    readonly isForAll: boolean;
}

/**
 * https://cursor.com/docs/context/rules, https://code.claude.com/docs/en/memory and
 * https://docs.github.com/en/copilot/how-tos/configure-custom-instructions
 */
const FOLDERS: readonly RuleFolder[] = [
    { folder: ".cursor/rules", file: /\.mdc$|^RULE\.md$/, globs: "globs", isForAll: true },
    { folder: ".claude/rules", file: /\.md$/, globs: "paths", isForAll: true },
    {
        folder: ".github/instructions",
        file: /\.instructions\.md$/,
        globs: "applyTo",
        isForAll: false,
    },
];

/** A rule of a repository for some of its files, or for all. */
export interface Rule {
    /** Relative to the root, with `/`. */
    readonly path: string;
    readonly body: string;
    readonly always: boolean;
    /** A command that checks whether a file follows the rule. */
    readonly check?: string;
    /** Whether the rule applies to a file; the path is relative to the root. */
    matches(file: string): boolean;
}

/** Whether a repository has a folder for rules. */
export function hasRules(root: string): boolean {
    return FOLDERS.some(({ folder }) => existsSync(join(root, folder)));
}

/** Reads a repository's rules, sorted by path within each folder. */
export async function readRules({
    workspace,
    guidance,
}: Pick<ContextRequest, "workspace" | "guidance">): Promise<readonly Rule[]> {
    const files = await Promise.all(FOLDERS.map((each) => ruleFiles(workspace.root, each)));
    const rules: Rule[] = [];
    for (const { path, kind } of files.flat().slice(0, MAX_RULES)) {
        const file = await guidance(path, MAX_RULE_BYTES);
        const rule = file && (await parseRule(path, file.text, kind));
        if (rule) rules.push(rule);
    }
    return rules;
}

async function ruleFiles(root: string, kind: RuleFolder) {
    try {
        const folder = await resolveInside(root, kind.folder);
        if (!folder.exists) return [];
        const entries = await entriesBelow(folder.absolute);
        return entries
            .filter(({ entry }) => !entry.isDirectory() && kind.file.test(entry.name))
            .map(({ path }) => ({ path: `${kind.folder}/${path}`, kind }))
            .sort((one, other) => (one.path < other.path ? -1 : 1));
    } catch {
        return [];
    }
}

async function parseRule(
    path: string,
    text: string,
    { globs: field, isForAll }: RuleFolder
): Promise<Rule | undefined> {
    const { fields, body: whole } = await readFrontMatter(text);
    const check = typeof fields.check === "string" ? fields.check.trim() : "";
    const globs = await globsIn(fields[field]);
    const isOffered = !isForAll && globs.length === 0;
    const body = isOffered ? offerOf(fields.description) : whole;
    if (body === "" && check === "") return undefined;
    return {
        path,
        body,
        ...(check !== "" && { check }),
        always: fields.alwaysApply === true || globs.length === 0,
        matches: (file) => globs.some((isMatch) => isMatch(file)),
    };
}

/** As skills are offered: the description is sent, and the model reads the rest. */
function offerOf(description: unknown): string {
    return typeof description === "string" ? `Read this file when it applies. ${description}` : "";
}

async function globsIn(value: unknown): Promise<readonly ((path: string) => boolean)[]> {
    const listed = Array.isArray(value) ? value : [value];
    const globs = listed.filter((item) => typeof item === "string").flatMap(splitGlobs);
    const compiled = await Promise.allSettled(globs.map(compilePathGlob));
    return compiled.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
}

/** Commas separate globs, except inside braces. */
function splitGlobs(text: string): string[] {
    const globs = text.match(/(?:\{[^{}]*\}|[^,])+/g) ?? [];
    return globs.map((glob) => glob.trim()).filter((glob) => glob !== "");
}
