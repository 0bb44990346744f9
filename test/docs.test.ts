import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import { toolsPage } from "../scripts/tools-page.js";
import { builtin } from "../src/builtin/index.js";

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

/** The part of an oclif manifest that says how commands may be called. */
interface Manifest {
    readonly commands: Readonly<Record<string, ManifestCommand>>;
}

interface ManifestCommand {
    readonly aliases?: readonly string[];
    readonly strict?: boolean;
    readonly args?: object;
    readonly flags?: Readonly<Record<string, { readonly char?: string }>>;
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

const FENCE = /^```(\w*)\n([^]*?)^```$/gm;

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

/** What is typed at a shell: spans that begin with `north`, and such lines in fences. */
function northCommands(page: string): string[] {
    const fenced = [...read(page).matchAll(FENCE)]
        .filter(([, language = ""]) => ["sh", "text"].includes(language))
        .flatMap(([, language, code = ""]) =>
            code
                .split("\n")
                .filter((line) => language === "sh" || line.startsWith("$ "))
                .flatMap((line) => line.replace(/^\$ /, "").split(" | "))
        );
    return [...codeSpans(page), ...fenced]
        .map((text) => text.replace(/\s+#.*$/, "").trim())
        .filter((text) => text === "north" || text.startsWith("north "));
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
                known.set(name.replaceAll(":", " "), command);
            }
        }
    }
    return known;
}

/** Why a command could not be typed like this; `undefined` where it could. */
function problemOf(typed: string, known: ReadonlyMap<string, ManifestCommand>): string | undefined {
    const words = wordsOf(typed).slice(1);
    const [first] = words;
    const isChat = first === undefined || /^["']|^-(?!-help|-version|h$|v$)/.test(first);
    const name = isChat ? "chat" : longestName(words, known);
    const command = name === undefined ? undefined : known.get(name);
    if (name === undefined || !command) return `${typed}: there is no such command`;
    const rest = isChat ? words : words.slice(name.split(" ").length);
    const takesArguments =
        command.strict === false || Object.keys(command.args ?? {}).length > 0 || isChat;
    const [stray] = rest.filter((word, index) => {
        const isValue = /^--?[a-z]/.test(rest[index - 1] ?? "");
        return !word.startsWith("-") && !isValue;
    });
    if (stray !== undefined && !takesArguments) return `${typed}: ${name} takes no "${stray}"`;
    const unknown = rest.find((word) => word.startsWith("-") && !isFlag(word, command));
    return unknown && `${typed}: ${name} has no flag ${unknown}`;
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

function isFlag(word: string, { flags = {} }: ManifestCommand): boolean {
    const name = word.replace(/=.*$/, "");
    if (name === "--help" || name === "-h") return true;
    return name.startsWith("--")
        ? name.slice(2) in flags
        : Object.values(flags).some(({ char }) => char === name.slice(1));
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

describe("Documentation", () => {
    it("The documentation describes the built-in tools as they are defined", async () => {
        const fresh = await toolsPage();
        expect(read("docs/tools.md") === fresh, "run `npm run tools-page`").to.equal(true);
    });

    it("The documentation has no dead links", () => {
        const links = pages.flatMap((page) => [...prose(page).matchAll(/\]\(/g)]);
        expect(links).to.have.length.above(30);
        expect(pages.flatMap(deadLinks)).to.deep.equal([]);
    });

    it("The documentation names only commands and flags that exist", () => {
        const known = knownCommands();
        const typed = pages.flatMap((page) =>
            northCommands(page).map((command) => [page, command] as const)
        );
        expect(typed).to.have.length.above(40);
        const problems = typed.flatMap(([page, command]) => {
            const problem = problemOf(command, known);
            return problem ? [`${page}: ${problem}`] : [];
        });
        expect(problems).to.deep.equal([]);
    });

    it("An unknown command, argument or flag is recognized", () => {
        const known = knownCommands();
        const wrong = ["north nonsense", "north models all", "north costs --by-day", "north -z"];
        for (const typed of wrong) expect(problemOf(typed, known), typed).to.be.a("string");
        const right = ["north", 'north -p "x y"', "north plugins install x", "north list --json"];
        for (const typed of right) expect(problemOf(typed, known), typed).to.equal(undefined);
    });

    it("The documentation names every command, chat flag and slash command", () => {
        const spans = pages.flatMap(codeSpans).join("\n");
        const { commands }: Manifest = JSON.parse(read("oclif.manifest.json"));
        const flags = { ...commands.chat?.flags, ...commands.resume?.flags };
        const wanted = [
            ...Object.keys(commands).map((id) => `north ${id.replaceAll(":", " ")}`),
            ...Object.keys(flags).map((flag) => `--${flag}`),
            ...(builtin.slashCommands ?? []).map(({ name }) => `/${name}`),
        ];
        expect(wanted).to.have.length.above(30);
        const missing = wanted.filter(
            (name) => !new RegExp(`(?<![\\w/-])${name}(?![\\w-])`).test(spans)
        );
        expect(missing).to.deep.equal([]);
    });

    it("The documentation names every environment variable of the built-in providers", () => {
        const variables = (builtin.providers ?? []).flatMap(({ keyVariable, baseURLVariable }) =>
            [keyVariable, baseURLVariable].filter((name) => name !== undefined)
        );
        expect(variables).to.have.length.above(1);
        const page = codeSpans("docs/configuration.md");
        expect(variables.filter((name) => !page.includes(name))).to.deep.equal([]);
    });
});
