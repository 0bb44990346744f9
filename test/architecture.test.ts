import { readdirSync, readFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import ts from "typescript";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const source = path.join(root, "src");

interface Import {
    readonly from: string;
    readonly to: string;
}

/** Which rooms a room may import, apart from itself. */
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
    chat: ["base", "core", "plugin"],
    storage: ["base", "core", "plugin"],
    host: [
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

/** Packages that belong to some rooms only. */
const PACKAGES: readonly { readonly pattern: RegExp; readonly rooms: readonly string[] }[] = [
    { pattern: /^@oclif\//, rooms: ["commands", "hooks", "host"] },
    { pattern: /^(@inquirer\/|(node:)?readline|chalk$|ora$)/, rooms: ["chat"] },
    { pattern: /^(@anthropic-ai\/|openai$|@mistralai\/)/, rooms: ["builtin"] },
    { pattern: /^@napi-rs\/keyring$/, rooms: ["storage"] },
    { pattern: /^@lydell\/node-pty$/, rooms: ["shell"] },
];

/** What the agent must not know of. */
const FORBIDDEN_IN_CORE = /^(node:)?(fs|fs\/promises|child_process|process|tty|os|net|http|https)$/;

function sourceFiles(folder = source): string[] {
    return readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => path.join(folder, name));
}

/** Every import, re-export and dynamic import of a file, by the compiler's own parser. */
function importsOf(file: string): Import[] {
    const tree = ts.createSourceFile(
        file,
        readFileSync(file, "utf8"),
        ts.ScriptTarget.Latest,
        true
    );
    const found: Import[] = [];
    const add = (specifier: ts.Node) => {
        if (ts.isStringLiteral(specifier)) found.push({ from: file, to: specifier.text });
    };
    const visit = (node: ts.Node): void => {
        if (ts.isImportDeclaration(node)) add(node.moduleSpecifier);
        if (ts.isExportDeclaration(node) && node.moduleSpecifier) add(node.moduleSpecifier);
        if (
            ts.isCallExpression(node) &&
            node.expression.kind === ts.SyntaxKind.ImportKeyword &&
            node.arguments[0]
        ) {
            add(node.arguments[0]);
        }

        ts.forEachChild(node, visit);
    };
    visit(tree);
    return found;
}

function roomOf(file: string): string {
    return path.relative(source, file).split(path.sep)[0] ?? "";
}

function target({ from, to }: Import): string {
    return path.resolve(path.dirname(from), to).replace(/\.js$/, ".ts");
}

const name = (file: string) => path.relative(root, file);
const imports = sourceFiles().flatMap(importsOf);
const inside = imports.filter(({ to }) => to.startsWith("."));
const packages = imports.filter(({ to }) => !to.startsWith("."));

describe("the architecture", () => {
    it("lets each room import only the rooms it may know", () => {
        const trespasses = inside
            .filter((each) => {
                const [from, to] = [roomOf(each.from), roomOf(target(each))];
                return from !== to && !(ROOMS[from] ?? []).includes(to);
            })
            .map((each) => `${name(each.from)} imports ${name(target(each))}`);
        expect(trespasses).to.deep.equal([]);
    });

    it("has no room without rules", () => {
        const rooms = new Set(sourceFiles().map(roomOf));
        expect([...rooms].filter((room) => !(room in ROOMS))).to.deep.equal([]);
    });

    it("keeps packages in the rooms they belong to", () => {
        const trespasses = packages
            .filter((each) =>
                PACKAGES.some(
                    ({ pattern, rooms }) =>
                        pattern.test(each.to) && !rooms.includes(roomOf(each.from))
                )
            )
            .map((each) => `${name(each.from)} imports ${each.to}`);
        expect(trespasses).to.deep.equal([]);
    });

    it("keeps files, processes and the terminal out of the core", () => {
        const trespasses = packages
            .filter((each) => roomOf(each.from) === "core" && FORBIDDEN_IN_CORE.test(each.to))
            .map((each) => `${name(each.from)} imports ${each.to}`);
        const uses = sourceFiles(path.join(source, "core"))
            .filter((file) => /\bprocess\./.test(readFileSync(file, "utf8")))
            .map(name);
        expect([...trespasses, ...uses]).to.deep.equal([]);
    });

    it("has no cycles, not even of types", () => {
        const edges = new Map<string, string[]>();
        for (const each of inside) {
            edges.set(each.from, [...(edges.get(each.from) ?? []), target(each)]);
        }

        expect(cycles(edges)).to.deep.equal([]);
    });

    it("leaves the contract without code but that of its errors", () => {
        const barrel = readFileSync(path.join(source, "plugin", "index.ts"), "utf8");
        const values = barrel.split("\n").filter((line) => /^export (?!type )/.test(line));
        expect(values).to.deep.equal([
            'export { isExpectedError, NorthError, type NorthErrorOptions } from "../base/north-error.js";',
        ]);
    });

    it("keeps files, functions and folders small enough to find one's way", () => {
        const long = sourceFiles()
            .map((file) => [name(file), readFileSync(file, "utf8").split("\n").length] as const)
            .filter(([, lines]) => lines > 350);
        const deep = sourceFiles()
            .map(name)
            .filter((file) => file.split(path.sep).length > 5);
        const commands = sourceFiles(path.join(source, "commands")).filter(
            (file) => readFileSync(file, "utf8").split("\n").length > 81
        );
        expect(long).to.deep.equal([]);
        expect(deep).to.deep.equal([]);
        expect(commands.map(name)).to.deep.equal([]);
        expect(sourceFiles().flatMap(longFunctions)).to.deep.equal([]);
    });

    it("has a fresh oclif manifest", () => {
        const fresh = execFileSync(process.execPath, ["scripts/manifest.js"], {
            cwd: root,
            encoding: "utf8",
        });
        expect(readFileSync(path.join(root, "oclif.manifest.json"), "utf8")).to.equal(fresh);
    });
});

function longFunctions(file: string): string[] {
    const text = readFileSync(file, "utf8");
    const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
        if (ts.isFunctionLike(node) && "body" in node && node.body) {
            const first = tree.getLineAndCharacterOfPosition(node.getStart()).line;
            const last = tree.getLineAndCharacterOfPosition(node.getEnd()).line;
            if (last - first + 1 > 70) found.push(`${name(file)}:${first + 1}`);
        }
        ts.forEachChild(node, visit);
    };
    visit(tree);
    return found;
}

/** The files of each cycle, found by depth-first search. */
function cycles(edges: ReadonlyMap<string, readonly string[]>): string[] {
    const done = new Set<string>();
    const found: string[] = [];
    const walk = (file: string, trail: readonly string[]): void => {
        const start = trail.indexOf(file);
        if (start >= 0) found.push([...trail.slice(start), file].map(name).join(" -> "));
        if (start >= 0 || done.has(file)) return;
        for (const next of edges.get(file) ?? []) walk(next, [...trail, file]);
        done.add(file);
    };
    for (const file of edges.keys()) walk(file, []);
    return found;
}
