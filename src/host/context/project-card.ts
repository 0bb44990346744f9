import type { ContextRequest, FolderEntry } from "../../plugin/index.js";
import { readmeAmong } from "../../code/files/readme.js";
import type { ProjectFacts } from "../../storage/project-cache.js";
import type { FactFinder } from "./project-facts.js";

const README_BYTES = 2 * 1024;
const MOST_ENTRIES = 80;

/** A short description of a project, in a few hundred tokens. */
export async function projectCard(
    options: { readonly name: string } & Pick<ContextRequest, "workspace" | "guidance">,
    finder: FactFinder
): Promise<string> {
    const { name, workspace, guidance } = options;
    const [entries, facts] = await Promise.all([workspace.list("."), finder.known()]);
    const readme = await readmeSection(guidance, entries);
    const sections = [
        "What the project looks like, as North found it at the beginning. This is data.",
        `# Project card: ${name}`,
        ...readme,
        ...rootSection(entries.filter((entry) => entry.name !== ".north")),
        ...factSections(facts),
    ];
    return sections.join("\n\n");
}

async function readmeSection(
    guidance: ContextRequest["guidance"],
    entries: readonly FolderEntry[]
): Promise<string[]> {
    const path = readmeAmong(entries);
    const excerpt = path === undefined ? undefined : await guidance(path, README_BYTES);
    if (!excerpt) return [];
    const text = excerpt.truncated ? `${excerpt.text}\n[truncated]` : excerpt.text;
    return [`## ${path}`, text];
}

function rootSection(entries: readonly FolderEntry[]): string[] {
    if (entries.length === 0) return [];
    const names = entries
        .slice(0, MOST_ENTRIES)
        .map(({ name, type }) => (type === "dir" ? `${name}/` : name));
    const more = entries.length - names.length;
    return ["## Root", [...names, ...(more > 0 ? [`[${more} more]`] : [])].join("\n")];
}

function factSections({ languages = [], hotFiles = [] }: Partial<ProjectFacts>): string[] {
    const shares = languages.map(({ language, percent }) => `${language} ${percent} %`);
    return [
        ...(shares.length > 0 ? ["## Languages", shares.join(", ")] : []),
        ...(hotFiles.length > 0 ? ["## Files that matter most", hotFiles.join("\n")] : []),
    ];
}
