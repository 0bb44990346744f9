import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { toolsPage } from "../scripts/tools-page.js";
import { builtin } from "../src/builtin/index.js";
import { resolveModel } from "../src/core/registry/models.js";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The part of an oclif manifest that says how commands may be called. */
interface Manifest {
    readonly commands: Readonly<Record<string, ManifestCommand>>;
}

interface ManifestCommand {
    readonly aliases?: readonly string[];
    readonly strict?: boolean;
    readonly args?: Readonly<
        Record<string, { readonly required?: boolean; readonly default?: unknown }>
    >;
    readonly flags?: Readonly<Record<string, ManifestFlag>>;
    readonly examples?: readonly (string | { readonly command: string })[];
}

interface ManifestFlag {
    readonly char?: string;
    readonly type?: string;
    readonly allowNo?: boolean;
    readonly required?: boolean;
    readonly options?: readonly string[];
}

const pages = [
    ...["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"],
    ...readdirSync(path.join(root, "docs"))
        .filter((name) => name.endsWith(".md"))
        .map((name) => path.join("docs", name)),
    ...readdirSync(path.join(root, "plugins")).map((name) =>
        path.join("plugins", name, "README.md")
    ),
];

function read(file: string): string {
    return readFileSync(path.join(root, file), "utf8");
}

const FENCE = /^ *(?<ticks>`{3,})(?<language>\w*)\n(?<code>[^]*?)^ *\k<ticks>$/gm;

/** A page without what stands in fences. */
function prose(page: string): string {
    return read(page).replace(FENCE, "");
}

/** Code spans, tables included, where a bar is escaped. */
function codeSpans(page: string): string[] {
    return [...prose(page).matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) =>
        span.replaceAll("\\|", "|")
    );
}

/** North's commands as named in the prose: spans that begin with `north`. */
function namedCommands(page: string): string[] {
    return codeSpans(page).filter((text) => text === "north" || text.startsWith("north "));
}

const SHELLS = ["sh", "bash", "console"];

/** North's commands in fences: every one in a shell's, elsewhere those after a prompt. */
function fencedCommands(markdown: string): string[] {
    return [...markdown.matchAll(FENCE)]
        .flatMap(({ groups: { language = "", code = "" } = {} }) =>
            code
                .replace(/\\\n */g, "")
                .split("\n")
                .map((line) => line.trim())
                .filter((line) => SHELLS.includes(language) || line.startsWith("$ "))
        )
        .map((line) => line.replace(/^\$ /, "").replace(/(?:^|\s+)#.*$/, ""))
        .flatMap((line) => line.match(/(?:"[^"]*"|'[^']*'|[^|&;"'])+/g) ?? [])
        .map((command) => command.trim().replace(/^(?:[A-Z_]+=\S+ )+/, ""))
        .filter((command) => command === "north" || command.startsWith("north "));
}

/** North's commands and those of the plugins it comes with, by the words they are called with. */
function knownCommands(): ReadonlyMap<string, ManifestCommand> {
    const { oclif } = JSON.parse(read("package.json"));
    const files = [
        path.join(root, "oclif.manifest.json"),
        ...oclif.plugins.map((plugin: string) =>
            path.join(root, "node_modules", plugin, "oclif.manifest.json")
        ),
        // Made by the build.
        path.join(root, "plugins/north-plugin-mcp/oclif.manifest.json"),
    ];
    const known = new Map<string, ManifestCommand>();
    for (const file of files) {
        const { commands }: Manifest = JSON.parse(readFileSync(file, "utf8"));
        for (const [id, command] of Object.entries(commands)) {
            for (const name of [id, ...(command.aliases ?? [])]) {
                const words = name.replaceAll(":", " ");
                // North's own come first, and replace a plugin's, as when it runs.
                if (!known.has(words)) known.set(words, command);
            }
        }
    }
    return known;
}

/** Why a command could not be typed like this; `undefined` where it could. */
function problemOf(typed: string, known: ReadonlyMap<string, ManifestCommand>): string | undefined {
    const found = commandOf(typed, known);
    if (!found) return `${typed}: there is no such command`;
    const { name, command, rest } = found;
    const takesArguments = command.strict === false || Object.keys(command.args ?? {}).length > 0;
    const [stray] = argumentsAmong(rest, command);
    if (stray !== undefined && !takesArguments) return `${typed}: ${name} takes no "${stray}"`;
    for (const [index, word] of rest.entries()) {
        // A lone dash means standard input.
        if (!word.startsWith("-") || word === "-") continue;
        const flag = flagOf(word, command);
        if (!flag) return `${typed}: ${name} has no flag ${word}`;
        const value = /=(.*)/.exec(word)?.[1] ?? rest[index + 1] ?? "";
        const isWrong = value
            .split("|")
            .some((option) => option !== option.toUpperCase() && !flag.options?.includes(option));
        if (flag.options && isWrong) return `${typed}: ${word} takes no "${value}"`;
    }
    return undefined;
}

/** Why a complete command line does not parse: as `problemOf`, and nothing required is missing. */
function problemOfLine(typed: string, known: ReadonlyMap<string, ManifestCommand>) {
    const problem = problemOf(typed, known);
    const found = commandOf(typed, known);
    if (problem || !found || found.rest.includes("--help")) return problem;
    const { command, rest } = found;
    const required = Object.values(command.args ?? {}).filter(
        (argument) => argument.required && argument.default === undefined
    );
    if (argumentsAmong(rest, command).length < required.length) {
        return `${typed}: an argument is missing`;
    }
    const given = rest.map((word) => flagOf(word, command));
    const [missing] = Object.entries(command.flags ?? {}).find(
        ([, flag]) => flag.required && !given.includes(flag)
    ) ?? [undefined];
    return missing && `${typed}: --${missing} is missing`;
}

function commandOf(typed: string, known: ReadonlyMap<string, ManifestCommand>) {
    const words = wordsOf(typed).slice(1);
    const [first] = words;
    const isChat = first === undefined || /^["']|^-(?!-help|-version|h$|v$)/.test(first);
    const name = isChat ? "chat" : longestName(words, known);
    const command = name === undefined ? undefined : known.get(name);
    if (name === undefined || !command) return undefined;
    return { name, command, rest: isChat ? words : words.slice(name.split(" ").length) };
}

/** Words that are neither a flag nor its value; a redirection ends them. */
function argumentsAmong(words: readonly string[], command: ManifestCommand): readonly string[] {
    const redirection = words.findIndex((word) => /^\d?[<>]/.test(word));
    const own = redirection === -1 ? words : words.slice(0, redirection);
    return own.filter((word, index) => {
        const before = own[index - 1] ?? "";
        const isValue = !before.includes("=") && flagOf(before, command)?.type === "option";
        return !word.startsWith("-") && !isValue;
    });
}

/** Words as a shell would split them; quotes stay, so that a prompt is not taken for a command. */
function wordsOf(typed: string): string[] {
    return typed.match(/"[^"]*"|'[^']*'|\S+/g) ?? [];
}

function longestName(words: readonly string[], known: ReadonlyMap<string, unknown>) {
    for (let count = words.length; count > 0; count -= 1) {
        const name = words.slice(0, count).join(" ");
        if (known.has(name)) return name;
    }
    return undefined;
}

const HELP: ManifestFlag = { type: "boolean" };

function flagOf(word: string, { flags = {} }: ManifestCommand): ManifestFlag | undefined {
    const name = word.replace(/=.*$/, "");
    if (name === "--help" || name === "-h") return HELP;
    const negated = name.startsWith("--no-") ? flags[name.slice(5)] : undefined;
    if (negated?.allowNo) return negated;
    if (name.startsWith("--")) return flags[name.slice(2)];
    return Object.values(flags).find(({ char }) => char && name === `-${char}`);
}

/** The anchors that a page's headings get. */
function anchorsOf(page: string): readonly string[] {
    return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
        heading
            .toLowerCase()
            .replace(/[^\p{L}\p{N}_ -]/gu, "")
            .replaceAll(" ", "-")
    );
}

/** Links that lead nowhere; other sites are not asked. */
function deadLinks(page: string): string[] {
    const targets = [...prose(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
    return targets
        .filter((target) => !/^[a-z]+:/.test(target))
        .filter((target) => {
            const [file = "", anchor] = target.split("#");
            const linked = file === "" ? page : path.join(path.dirname(page), file);
            if (!existsSync(path.join(root, linked))) return true;
            return anchor !== undefined && !anchorsOf(linked).includes(anchor);
        })
        .map((target) => `${page}: ${target}`);
}

/** The names of the tests in a file, with what is filled in as `…`. */
function testNames(file: string): readonly string[] {
    return [...read(file).matchAll(/\bit\(\s*(["`])((?:\\[^]|(?!\1)[^\\])*)\1/g)].map(
        ([, , name = ""]) => name.replace(/\$\{[^`]*?\}/g, "…").replace(/\\(["`])/g, "$1")
    );
}

describe("Documentation", () => {
    it("Each promise of the page on security names a test that exists", () => {
        const page = read("docs/security.md");
        const links = [...page.matchAll(/^\[([\w-]+)\]: \.\.\/(\S+) "(.+)"$/gm)];
        const named = new Set(links.map(([, label = ""]) => `[${label}]`));
        expect(named.size).to.be.above(30);
        const missing = links.filter(
            ([, , file = "", name = ""]) => !testNames(file).includes(name)
        );
        expect(missing.map(([link]) => link)).to.deep.equal([]);
        const [promises = ""] = page.split("## What North does not promise");
        const unnamed = promises
            .split("\n\n")
            .filter((paragraph) => paragraph.startsWith("**"))
            .filter(
                (paragraph) => !paragraph.match(/\[[\w-]+\]/g)?.some((text) => named.has(text))
            );
        expect(unnamed).to.deep.equal([]);
    });

    it("The documentation describes the built-in tools as they are defined", async () => {
        const fresh = await toolsPage();
        expect(read("docs/tools.md") === fresh, "run `npm run tools-page`").to.equal(true);
    });

    it("The documentation has no dead links", () => {
        const links = pages.flatMap((page) => [...prose(page).matchAll(/\]\(/g)]);
        expect(links).to.have.length.above(30);
        expect(pages.flatMap(deadLinks)).to.deep.equal([]);
    });

    it("No table has a row twice", () => {
        const repeated = pages.flatMap((page) =>
            read(page)
                .split(/\n{2,}/)
                .flatMap((table) => {
                    const rows: readonly string[] = table.match(/^\| (?!-).*$/gm) ?? [];
                    return rows.filter((row, index) => rows.indexOf(row) !== index);
                })
        );
        expect(repeated).to.deep.equal([]);
    });

    it("The changelog says nothing twice", () => {
        const begins = (read("CHANGELOG.md").match(/^- .*$/gm) ?? []).map((row) =>
            row.slice(0, 40)
        );
        expect(begins).to.have.length.above(20);
        expect(begins.filter((row, index) => begins.indexOf(row) !== index)).to.deep.equal([]);
    });

    it("The documentation names only commands and flags that exist", () => {
        const known = knownCommands();
        const named = pages.flatMap((page) =>
            namedCommands(page).map((command) => ({ page, problem: problemOf(command, known) }))
        );
        expect(named).to.have.length.above(40);
        expect(named.filter(({ problem }) => problem)).to.deep.equal([]);
    });

    it("Every command line in the documentation parses", () => {
        const known = knownCommands();
        const typed = pages.flatMap((page) =>
            fencedCommands(read(page)).map((line) => ({
                page,
                problem: problemOfLine(line, known),
            }))
        );
        expect(typed).to.have.length.above(25);
        expect(typed.filter(({ problem }) => problem)).to.deep.equal([]);
    });

    it("Every example in the help of a command parses", () => {
        const known = knownCommands();
        const lines = Object.values<ManifestCommand>(
            JSON.parse(read("oclif.manifest.json")).commands
        )
            .flatMap(({ examples = [] }) => examples)
            .map((example) => (typeof example === "string" ? example : example.command));
        const typed = fencedCommands(["```sh", ...lines, "```"].join("\n"));
        expect(typed).to.have.length.above(90);
        const problems = typed.map((line) => problemOfLine(line, known));
        expect(problems.filter((problem) => problem !== undefined)).to.deep.equal([]);
    });

    it("A wrong command line in any fence of a page is found", () => {
        const known = knownCommands();
        const page = [
            ...[
                "```sh",
                "cat x | north nonsense",
                "NO_COLOR=1 north costs --by-day  # days",
                "```",
            ],
            ...["1. Step", "    ```bash", "    north chat \\", "        --mode all", "    ```"],
            ...["````text", "$ north models all", "```", "$ north bisect 3fa2c1", "```", "````"],
            ...["```console", "$ north drop 3fa2c1 && north -z", "north doctor", "```"],
        ].join("\n");
        const problems = fencedCommands(page).map((line) => problemOfLine(line, known));
        expect(problems).to.deep.equal([
            "north nonsense: there is no such command",
            "north costs --by-day: costs has no flag --by-day",
            'north chat --mode all: --mode takes no "all"',
            'north models all: models takes no "all"',
            "north bisect 3fa2c1: --run is missing",
            "north drop 3fa2c1: an argument is missing",
            "north -z: chat has no flag -z",
            undefined,
        ]);
    });

    it("A correct command line is accepted", () => {
        const known = knownCommands();
        const right = [
            ...["north", 'north -p "x y"', "north plugins install x", "north list --json"],
            ...["north plugins link --no-install"],
            ...["north login openai < keyfile", "north costs --by=day", "north bisect --run 'a b'"],
        ];
        for (const typed of right) expect(problemOfLine(typed, known), typed).to.equal(undefined);
    });

    it("The documentation names only models that North knows, apart from those of plugins", () => {
        const named = pages
            .filter((page) => !page.startsWith("plugins"))
            .flatMap((page) => [
                ...read(page).matchAll(/(?:--models?|--as|\/model) ([a-z][\w.,-]+)(?![\w/:-])/g),
                ...read(page).matchAll(/"(?:fallbackModels|exploreModel)": \[?([^\]\n]*)/g),
            ])
            .flatMap(([, names = ""]) => names.replace(/["\s]/g, "").split(","))
            // In a table, for any models.
            .filter((name) => !/^[ab]$/.test(name));
        expect(named).to.have.length.above(10);
        for (const name of named) resolveModel(name, builtin.providers ?? []);
    });

    it("The documentation names every command, chat flag and slash command", () => {
        const spans = pages.flatMap(codeSpans).join("\n");
        const { commands }: Manifest = JSON.parse(read("oclif.manifest.json"));
        const flags = { ...commands.chat?.flags, ...commands.resume?.flags };
        const tables = {
            "Commands in docs/commands.md": Object.keys(commands).map(
                (id) => `north ${id.replaceAll(":", " ")}`
            ),
            "Flags in docs/commands.md": Object.keys(flags).map((flag) => `--${flag}`),
            "Slash commands in docs/chat.md": (builtin.slashCommands ?? []).map(
                ({ name }) => `/${name}`
            ),
        };
        for (const [table, names] of Object.entries(tables)) {
            expect(names).to.have.length.above(10);
            for (const name of names) {
                const named = new RegExp(`(?<![\\w/-])${name}(?![\\w-])`);
                const missing = `No page names ${name}: add a row under ${table}.`;
                expect(named.test(spans), missing).to.equal(true);
            }
        }
    });

    it("The documentation names every environment variable of the built-in providers", () => {
        const variables = (builtin.providers ?? []).flatMap(({ keyVariable, baseURLVariable }) =>
            [keyVariable, baseURLVariable].filter((name) => name !== undefined)
        );
        expect(variables).to.have.length.above(1);
        const page = codeSpans("docs/settings.md");
        expect(variables.filter((name) => !page.includes(name))).to.deep.equal([]);
    });
});
