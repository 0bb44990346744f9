import path from "node:path";
import type { FileChange, Finding, Workspace } from "north-cli/plugin";
import { linesOf } from "./places.js";
import { languageOf, type ServerKind } from "./servers.js";
import { type Caller, contentOf, type Overrides, type Server } from "./server.js";
import type { Problem, Session } from "./session.js";

/** Other files that are looked at because they name what changes. */
const MAX_USERS = 20;

/** A problem, with what identifies it wherever other edits move it. */
type Known = Problem & { readonly source: string };

/** What the server finds in the project with the changes, and not in the project without them. */
export function newProblems(
    server: Server,
    changes: readonly FileChange[],
    caller: Caller
): Promise<readonly Finding[]> {
    return server.use(caller, async (session) => {
        const [before, after] = [contents(changes, "before"), contents(changes, "after")];
        const users = await usersOf(changes, server.kind, caller);
        const files = [...[...after.keys()].filter((file) => after.get(file) !== null), ...users];
        await session.show(after);
        const found = await knownIn(files, session);
        const wrong = [...found.keys()].filter((file) => found.get(file)?.length);
        if (wrong.length === 0) return [];
        await session.show(before);
        const known = await knownIn(
            wrong.filter((file) => before.get(file) !== null),
            session
        );
        return wrong.flatMap((file) => added(file, found.get(file) ?? [], known.get(file) ?? []));
    });
}

function contents(changes: readonly FileChange[], side: "before" | "after"): Overrides {
    return new Map(changes.map((change) => [change.path, change[side]]));
}

async function knownIn(files: readonly string[], session: Session) {
    const found = new Map<string, readonly Known[]>();
    for (const [file, problems] of await session.problems(files)) {
        const lines = problems.length > 0 ? linesOf(await session.text(file)) : [];
        const known = problems.map((each) => ({
            ...each,
            source: (lines[each.line - 1] ?? "").trim(),
        }));
        found.set(file, known);
    }
    return found;
}

function added(file: string, found: readonly Known[], before: readonly Known[]): Finding[] {
    const kinds = new Map<string, Known[]>();
    for (const each of found) kinds.set(kindOf(each), [...(kinds.get(kindOf(each)) ?? []), each]);
    return [...kinds].flatMap(([kind, same]): Finding[] => {
        const old = before.filter((each) => kindOf(each) === kind);
        const count = same.length - old.length;
        if (count <= 0) return [];
        const sources = new Set(old.map(({ source }) => source));
        const first = same.find(({ source }) => !sources.has(source)) ?? same[old.length];
        const said = [first?.code, first?.message].filter(Boolean).join(", ");
        const text = `+${count} error${count === 1 ? "" : "s"} ${said}`;
        return [{ path: file, line: first?.line ?? 1, severity: "error", text }];
    });
}

/** TypeScript orders the members of a union, which it quotes, by which of them it has met first. */
export function kindOf({ code, message }: Pick<Problem, "code" | "message">): string {
    const unordered = (quoted: string) => quoted.split(/\W+/).sort().join(" ");
    return `${code}, ${message.replace(/'[^']*'/g, unordered)}`;
}

/** Files that may use what changes: they name its module, or share its folder where that counts. */
async function usersOf(
    changes: readonly FileChange[],
    kind: ServerKind,
    { workspace, signal }: Caller
): Promise<readonly string[]> {
    const changed = new Set(changes.map(({ path: file }) => file));
    const found = new Set<string>();
    // Nobody can use a file that is new.
    for (const { path: file } of changes.filter(({ before }) => before !== null)) {
        const neighbours = kind.sharesFolders ? await filesBeside(file, workspace) : [];
        const name = moduleName(file, kind).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
        const query = kind.use.replaceAll("NAME", () => name);
        const { matches } = await workspace.search(query, { regex: true, limit: 500, signal });
        for (const user of [...neighbours, ...matches.map((match) => match.path)]) {
            if (!changed.has(user) && languageOf(kind, user) !== undefined) found.add(user);
        }
    }
    const users = [...found].slice(0, MAX_USERS);
    const contents = await Promise.all(users.map((user) => contentOf(workspace, user)));
    return users.filter((_user, index) => contents[index]);
}

async function filesBeside(file: string, workspace: Workspace): Promise<readonly string[]> {
    const folder = path.posix.dirname(file);
    const entries = await workspace.list(folder);
    return entries.map(({ name }) => path.posix.join(folder, name));
}

/** By what others import it. */
function moduleName(file: string, { namedByFolder }: ServerKind): string {
    const { base, name, dir } = path.posix.parse(file);
    return namedByFolder?.test(base) && dir !== "" ? path.posix.basename(dir) : name;
}
