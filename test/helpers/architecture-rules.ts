import path from "node:path";
import ts from "typescript";

/** A source file, by its path from the repository root. */
export interface SourceFile {
    readonly path: string;
    readonly text: string;
}

interface Import {
    readonly from: string;
    /** As written. */
    readonly specifier: string;
    /** The target of a relative import. */
    readonly file?: string;
}

/** The rooms that each room may import, besides itself. */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
    base: [],
    plugin: ["base"],
    code: ["base", "plugin"],
    "provider-kit": ["base", "plugin"],
    "plugin-testing": ["base", "plugin", "provider-kit"],
    core: ["base", "plugin"],
    workspace: ["base", "plugin"],
    shell: ["base", "plugin"],
    builtin: ["base", "code", "plugin", "provider-kit"],
    acp: ["base", "core", "plugin"],
    chat: ["base", "core", "plugin"],
    storage: ["base", "core", "plugin"],
    host: [
        "acp",
        "base",
        "chat",
        "code",
        "core",
        "plugin",
        "provider-kit",
        "shell",
        "storage",
        "workspace",
    ],
    commands: ["base", "chat", "host"],
    hooks: ["base", "builtin", "host", "plugin"],
};

/** Packages reserved to some rooms. */
const PACKAGES: readonly { readonly pattern: RegExp; readonly rooms: readonly string[] }[] = [
    { pattern: /^@oclif\//, rooms: ["commands", "hooks", "host"] },
    { pattern: /^(@inquirer\/|(node:)?readline|chalk(\/|$)|ora(\/|$))/, rooms: ["chat"] },
    { pattern: /^(@anthropic-ai\/|openai(\/|$)|@mistralai\/)/, rooms: ["builtin"] },
    { pattern: /^@agentclientprotocol\//, rooms: ["acp"] },
    { pattern: /^@napi-rs\/keyring(\/|$)/, rooms: ["storage"] },
    { pattern: /^@lydell\/node-pty(\/|$)/, rooms: ["shell"] },
];

/** Modules that core must not import. */
const FORBIDDEN_IN_CORE = /^(node:)?(fs|fs\/promises|child_process|process|tty|os|net|http|https)$/;

const MAX_LINES = 350;
const MAX_LINES_OF_COMMAND = 80;
const MAX_LINES_OF_FUNCTION = 70;
/** `src/room`. */
const SEGMENTS_OF_ROOM = 2;
/** `src/room/folder/folder/file.ts`. */
const MAX_SEGMENTS = 5;
const MAX_MEMBERS = 20;

/** Returns the violations in these files, one line each. */
export type Rule = (files: readonly SourceFile[]) => string[];

export const onlyKnownRooms: Rule = (files) =>
    importsWithin(files)
        .filter(({ from, file }) => {
            const [room, other] = [roomOf(from), roomOf(file)];
            return room !== other && !(ROOMS[room] ?? []).includes(other);
        })
        .map(({ from, file }) => `${from} imports ${file}`);

export const noRoomWithoutRules: Rule = (files) =>
    files.map((file) => roomOf(file.path)).filter((room) => !(room in ROOMS));

export const packagesInTheirRooms: Rule = (files) =>
    importsOf(files)
        .filter(({ from, specifier }) =>
            PACKAGES.some(
                ({ pattern, rooms }) => pattern.test(specifier) && !rooms.includes(roomOf(from))
            )
        )
        .map(({ from, specifier }) => `${from} imports ${specifier}`);

export const coreWithoutMachine: Rule = (files) => {
    const core = files.filter((file) => roomOf(file.path) === "core");
    return [
        ...importsOf(core)
            .filter(({ specifier }) => FORBIDDEN_IN_CORE.test(specifier))
            .map(({ from, specifier }) => `${from} imports ${specifier}`),
        ...core
            .filter(({ text }) => /\bprocess\./.test(text))
            .map((file) => `${file.path} uses process`),
    ];
};

const WRITES_ERRORS =
    /\bstderr\.write\(|\bux\.(?:stderr|warn|error)\(|\bwriteSync\(2\b|\bconsole\./;
/** A counter on a terminal, a constant text, and a stream that is passed to the writer. */
const WITHOUT_FOREIGN_TEXT = new Set([
    "src/host/conversations/conversation-list.ts",
    "src/host/command-line/busy-thread-worker.ts",
    "src/chat/print/run-print.ts",
]);

/** `base/stderr.ts` escapes what others write. */
export const oneWriterOfErrors: Rule = (files) =>
    files
        .filter(({ path: file }) => !WITHOUT_FOREIGN_TEXT.has(file))
        .filter(({ text }) => WRITES_ERRORS.test(text))
        .map(({ path: file }) => `${file} writes to standard error`);

export const noFileCycles: Rule = (files) =>
    cyclesOf(importsWithin(files).map(({ from, file }) => [from, file]));

/** Between folders of a room, and between all that is in them: `core/agent/turn` is part of `core/agent`. */
export const noFolderCycles: Rule = (files) => {
    const imports = importsWithin(files).filter(({ from, file }) => roomOf(from) === roomOf(file));
    const cyclesAt = (segments: number) =>
        cyclesOf(
            imports
                .map(
                    ({ from, file }) =>
                        [folderOf(from, segments), folderOf(file, segments)] as const
                )
                .filter(([from, to]) => !isInside(from, to) && !isInside(to, from))
        );
    const whole = cyclesAt(SEGMENTS_OF_ROOM + 1);
    return whole.length > 0 ? whole : cyclesAt(MAX_SEGMENTS);
};

export const smallFiles: Rule = (files) =>
    files
        .filter(({ path: file, text }) => {
            const lines = text.replace(/\n$/, "").split("\n").length;
            return lines > (roomOf(file) === "commands" ? MAX_LINES_OF_COMMAND : MAX_LINES);
        })
        .map((file) => file.path);

/** Members count with those that an interface inherits. */
export const smallInterfaces: Rule = (files) => {
    const all = files.flatMap(interfacesIn);
    return all
        .map(({ file, node }) => ({ file, name: node.name.text, count: membersOf(node, all).size }))
        .filter(({ count }) => count > MAX_MEMBERS)
        .map(({ file, name, count }) => `${file}: ${name} has ${count} members`);
};

export const shallowFolders: Rule = (files) =>
    files.map((file) => file.path).filter((file) => file.split("/").length > MAX_SEGMENTS);

export const shortFunctions: Rule = (files) => files.flatMap(longFunctions);

/** All imports, re-exports and dynamic imports, found by TypeScript's parser. */
function importsOf(files: readonly SourceFile[]): Import[] {
    return files.flatMap((file) => {
        const found: Import[] = [];
        visitAll(parsed(file), (node) => {
            const specifier = specifierOf(node);
            if (!specifier || !ts.isStringLiteral(specifier)) return;
            const { text } = specifier;
            const target = path.join(path.dirname(file.path), text).replace(/\.js$/, ".ts");
            found.push({
                from: file.path,
                specifier: text,
                ...(text.startsWith(".") && { file: target }),
            });
        });
        return found;
    });
}

function importsWithin(files: readonly SourceFile[]) {
    return importsOf(files).flatMap(({ from, file }) => (file === undefined ? [] : { from, file }));
}

function specifierOf(node: ts.Node): ts.Node | undefined {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
    if (ts.isImportTypeNode(node)) {
        return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined;
    }
    if (!ts.isCallExpression(node)) return undefined;
    return node.expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments[0] : undefined;
}

function longFunctions(file: SourceFile): string[] {
    const found: string[] = [];
    const tree = parsed(file);
    visitAll(tree, (node) => {
        if (!ts.isFunctionLike(node) || !("body" in node) || !node.body) return;
        const first = tree.getLineAndCharacterOfPosition(node.getStart()).line;
        const last = tree.getLineAndCharacterOfPosition(node.getEnd()).line;
        if (last - first + 1 > MAX_LINES_OF_FUNCTION) found.push(`${file.path}:${first + 1}`);
    });
    return found;
}

interface FoundInterface {
    readonly file: string;
    readonly node: ts.InterfaceDeclaration;
}

function interfacesIn(file: SourceFile): FoundInterface[] {
    const found: FoundInterface[] = [];
    visitAll(parsed(file), (node) => {
        if (ts.isInterfaceDeclaration(node)) found.push({ file: file.path, node });
    });
    return found;
}

/** Names of its own members and of those that it inherits from any interface of that name. */
function membersOf(
    node: ts.InterfaceDeclaration,
    all: readonly FoundInterface[],
    above: readonly string[] = []
): ReadonlySet<string> {
    const own = node.members.map((member) => member.name?.getText() ?? member.getText());
    const bases = (node.heritageClauses ?? [])
        .flatMap(({ types }) => types.map(({ expression }) => expression.getText()))
        .filter((base) => !above.includes(base));
    const inherited = bases.flatMap((base) =>
        all
            .filter((each) => each.node.name.text === base)
            .flatMap((each) => [...membersOf(each.node, all, [...above, base])])
    );
    return new Set([...own, ...inherited]);
}

const trees = new WeakMap<SourceFile, ts.SourceFile>();

function parsed(file: SourceFile): ts.SourceFile {
    const tree =
        trees.get(file) ?? ts.createSourceFile(file.path, file.text, ts.ScriptTarget.Latest, true);
    trees.set(file, tree);
    return tree;
}

function visitAll(node: ts.Node, visit: (node: ts.Node) => void): void {
    visit(node);
    ts.forEachChild(node, (child) => visitAll(child, visit));
}

function roomOf(file: string): string {
    return file.split("/")[1] ?? "";
}

/** The file's folder, or the folder that holds it at a depth. */
function folderOf(file: string, segments: number): string {
    return path.dirname(file).split("/").slice(0, segments).join("/");
}

function isInside(folder: string, outer: string): boolean {
    return `${folder}/`.startsWith(`${outer}/`);
}

/** Depth-first search. */
function cyclesOf(runtime: readonly (readonly [string, string])[]): string[] {
    const targets = new Map<string, Set<string>>();
    for (const [from, to] of runtime) {
        targets.set(from, (targets.get(from) ?? new Set()).add(to));
    }
    const done = new Set<string>();
    const found: string[] = [];
    const walk = (node: string, trail: readonly string[]): void => {
        const start = trail.indexOf(node);
        if (start >= 0) found.push([...trail.slice(start), node].join(" -> "));
        if (start >= 0 || done.has(node)) return;
        for (const next of targets.get(node) ?? []) walk(next, [...trail, node]);
        done.add(node);
    };
    for (const node of targets.keys()) walk(node, []);
    return found;
}
