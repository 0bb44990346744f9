import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readFrontMatter } from "../../base/front-matter.js";
import type { ContextRequest } from "../../plugin/index.js";
import { compilePathGlob } from "../listing/find.js";
import { resolveInside } from "../safe-path.js";

export const RULES_FOLDER = ".cursor/rules";
const MAX_RULE_BYTES = 64 * 1024;
const MAX_RULES = 200;

/** One Cursor rule; other assistants follow these too. */
export interface CursorRule {
    /** Relative to `.cursor/rules`, with `/`. */
    readonly path: string;
    readonly body: string;
    /** Applies to every conversation. */
    readonly always: boolean;
    /** A command that checks whether a file follows the rule. */
    readonly check?: string;
    /** Whether the rule applies to a file; the path is relative to the root. */
    matches(file: string): boolean;
}

/** Reads a repository's rules, sorted by path. */
export async function readCursorRules({
    workspace,
    guidance,
}: Pick<ContextRequest, "workspace" | "guidance">): Promise<readonly CursorRule[]> {
    const rules: CursorRule[] = [];
    for (const path of await ruleFiles(workspace.root)) {
        const file = await guidance(`${RULES_FOLDER}/${path}`, MAX_RULE_BYTES);
        const rule = file && (await parseRule(path, file.text));
        if (rule) rules.push(rule);
    }
    return rules;
}

async function ruleFiles(root: string): Promise<readonly string[]> {
    try {
        const folder = await resolveInside(root, RULES_FOLDER);
        if (!folder.exists) return [];
        const names = await readdir(folder.absolute, { recursive: true, withFileTypes: true });
        return names
            .filter((entry) => !entry.isDirectory() && entry.name.endsWith(".mdc"))
            .map((entry) => join(entry.parentPath, entry.name).slice(folder.absolute.length + 1))
            .map((path) => path.replaceAll("\\", "/"))
            .sort((one, other) => (one < other ? -1 : 1))
            .slice(0, MAX_RULES);
    } catch {
        return [];
    }
}

async function parseRule(path: string, text: string): Promise<CursorRule | undefined> {
    const { fields, body } = await readFrontMatter(text);
    const check = typeof fields.check === "string" ? fields.check.trim() : "";
    if (body === "" && check === "") return undefined;
    const globs = await globsIn(fields.globs);
    return {
        path,
        body,
        ...(check !== "" && { check }),
        always: fields.alwaysApply === true || globs.length === 0,
        matches: (file) => globs.some((isMatch) => isMatch(file)),
    };
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
