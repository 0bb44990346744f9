import { lstat, readdir, realpath } from "node:fs/promises";
import path from "node:path";
import { oneLine } from "../../base/format.js";
import { readFrontMatter } from "../../base/front-matter.js";
import { leavesFolder } from "../../base/paths.js";
import { openOwnText, type ReadText } from "./own-text.js";
import type { ContextRequest } from "../../plugin/index.js";

/** Instructions for a kind of task, as defined in https://agentskills.io/specification. */
export interface Skill {
    readonly name: string;
    readonly description: string;
    /** Who wrote it: the user, or the repository's authors. */
    readonly owner: "user" | "repository";
    /** Whether only the user may start it, with `/skill NAME`. */
    readonly isHiddenFromModels: boolean;
    /** For display: relative to the root, or below `~`. */
    readonly folder: string;
    /** Reads the start of one of the skill's files. */
    readonly read: ReadText;
    /** Returns paths relative to the folder, without `SKILL.md`. */
    files(): Promise<readonly string[]>;
}

export interface FoundSkills {
    /** By name; on conflicts the first folder wins. */
    readonly skills: ReadonlyMap<string, Skill>;
    /** Why skills were left out, one sentence each. */
    readonly problems: readonly string[];
}

export type FindSkills = () => Promise<FoundSkills>;

interface SkillFolders {
    /** Absolute. */
    readonly user: readonly string[];
    readonly home: string;
}

/** Relative to the root. As in other assistants, project skills override the user's. */
export const PROJECT_FOLDERS = [".north/skills", ".agents/skills", ".claude/skills"];
const FILE = "SKILL.md";
const MAX_HEAD_BYTES = 16 * 1024;
const MAX_SKILLS = 300;
const MAX_FILES = 100;
const UNREAD = {
    owner: "repository" as const,
    read: async () => undefined,
    files: async () => [],
};

export type SkillSource = Pick<ContextRequest, "workspace" | "guidance">;
interface Located extends Pick<Skill, "owner" | "folder" | "read" | "files"> {
    readonly problem?: string;
}

export async function findSkills(source: SkillSource, folders: SkillFolders): Promise<FoundSkills> {
    const inProject = PROJECT_FOLDERS.map((folder) => projectSkills(source, folder));
    const ofUser = folders.user.map((folder) => userSkills(folder, folders.home));
    const all = (await Promise.all([...inProject, ...ofUser])).flat();
    // One folder is often a link to another.
    const distinct = [...new Map(all.map((each) => [each.folder, each])).values()];
    const read = await Promise.all(distinct.slice(0, MAX_SKILLS).map(readSkill));
    const skills = new Map<string, Skill>();
    const problems: string[] = [];
    for (const found of read) {
        if (typeof found === "string") {
            problems.push(found);
            continue;
        }
        const winner = skills.get(found.name);
        if (winner) problems.push(`${found.folder}: ${winner.folder} has the same name.`);
        else skills.set(found.name, found);
    }
    if (distinct.length > MAX_SKILLS) {
        problems.push(`Only the first ${MAX_SKILLS} of ${distinct.length} skills are read.`);
    }
    return { skills, problems };
}

async function projectSkills(
    { workspace, guidance }: SkillSource,
    folder: string
): Promise<Located[]> {
    const { root } = workspace;
    return (await foldersIn(path.join(root, folder))).map(({ name, real }) => {
        const shown = path.relative(root, real).split(path.sep).join("/");
        if (leavesFolder(shown)) {
            const place = `${folder}/${name}`;
            return { ...UNREAD, folder: place, problem: "it links out of the repository" };
        }
        return {
            owner: "repository",
            folder: shown,
            read: (file, maxBytes) => guidance(`${shown}/${file}`, maxBytes),
            files: () => filesIn(real),
        };
    });
}

async function userSkills(folder: string, home: string): Promise<Located[]> {
    return (await foldersIn(folder)).map(({ real }) => ({
        owner: "user",
        folder: real.startsWith(home + path.sep) ? `~${real.slice(home.length)}` : real,
        read: openOwnText(real),
        files: () => filesIn(real),
    }));
}

/** Subfolders that contain a skill, sorted by name, with their real paths. */
async function foldersIn(folder: string) {
    const names = (await readdir(folder).catch(() => [])).sort();
    const found = await Promise.all(
        names.map(async (name) => {
            const real = await realpath(path.join(folder, name)).catch(() => undefined);
            const file = real && (await lstat(path.join(real, FILE)).catch(() => undefined));
            return file ? { name, real } : undefined;
        })
    );
    return found.filter((each) => each !== undefined);
}

async function filesIn(folder: string): Promise<readonly string[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
        .map((file) => file.split(path.sep).join("/"))
        .filter((file) => file !== FILE && !/(^|\/)(\.|node_modules\/)/.test(file))
        .sort()
        .slice(0, MAX_FILES);
}

/** Returns the skill, or the reason why it is invalid. */
async function readSkill(located: Located): Promise<Skill | string> {
    const { folder, problem } = located;
    if (problem !== undefined) return `${folder}: ${problem}.`;
    const head = await located.read(FILE, MAX_HEAD_BYTES);
    if (head === undefined) {
        return `${folder}: ${FILE} is empty, a link, not a text, ignored by git, or holds a secret.`;
    }
    const { fields } = await readFrontMatter(head.text);
    const { description } = fields;
    if (typeof description !== "string" || description.trim() === "") {
        return `${folder}: ${FILE} has no description.`;
    }
    const name = typeof fields.name === "string" ? fields.name : path.posix.basename(folder);
    return {
        ...located,
        name: oneLine(name),
        description: oneLine(description),
        isHiddenFromModels: fields["disable-model-invocation"] === true,
    };
}

/** The largest published skills have 75 KB. */
const MAX_BYTES = 1024 * 1024;

/** Returns a file of the skill, or else its instructions without the front matter. */
export async function readSkillText(skill: Skill, file?: string): Promise<string | undefined> {
    const read = await skill.read(file ?? FILE, MAX_BYTES);
    if (read === undefined || file !== undefined) return read?.text;
    return (await readFrontMatter(read.text)).body;
}
