import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import path from "node:path";
import { text as readAll } from "node:stream/consumers";
import { expect } from "chai";
import * as Type from "typebox";
import { parse } from "yaml";
import { problemsIn } from "../../src/base/json-schema.js";
import { type PackedNorth, stageNorth } from "../helpers/packed-north.js";
import { patient } from "../helpers/patience.js";
import {
    type MessagesServer,
    reply,
    type Reply,
    startMessagesServer,
    text,
    toolUse,
} from "../helpers/vendors/messages-server.js";
import { makeFolder } from "../workspace/make-folder.js";
import { describeContained } from "../shell/containment/contained.js";
import { textsIn } from "./requests.js";

const words = Type.String({ minLength: 1 });
const name = Type.String({ pattern: "^[_a-z][a-z0-9_-]*$" });
const maybe = Type.Optional;
const closed = <Properties extends Type.TProperties>(properties: Properties) =>
    Type.Object(properties, { additionalProperties: false });
/** https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax, composite actions. */
const ACTION = closed({
    name: words,
    description: words,
    inputs: Type.Record(
        name,
        closed({
            description: words,
            required: maybe(Type.Boolean()),
            default: maybe(Type.String()),
        })
    ),
    outputs: Type.Record(name, closed({ description: words, value: words })),
    runs: closed({
        using: Type.Literal("composite"),
        steps: Type.Array(
            Type.Union([
                closed({
                    uses: words,
                    if: maybe(words),
                    with: maybe(Type.Record(name, Type.Union([words, Type.Number()]))),
                }),
                closed({
                    run: words,
                    shell: Type.Literal("bash"),
                    id: maybe(words),
                    if: maybe(words),
                    env: maybe(Type.Record(Type.String(), Type.String())),
                    "working-directory": maybe(words),
                }),
            ])
        ),
    }),
    branding: closed({ icon: Type.Literal("compass"), color: Type.Literal("blue") }),
});
const action: Type.Static<typeof ACTION> = parse(fs.readFileSync("action.yml", "utf8"));
const scripts = action.runs.steps.flatMap((step) => ("run" in step ? step : []));
type Script = (typeof scripts)[number];

const MODEL_KEY = "test-key-that-nobody-may-see";

interface End {
    readonly code: number;
    readonly output: string;
}

async function ended(
    program: string,
    args: readonly string[],
    options: { readonly cwd?: string; readonly env: Readonly<Record<string, string>> }
): Promise<End> {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr, [code]] = await Promise.all([
        readAll(child.stdout),
        readAll(child.stderr),
        once(child, "close"),
    ]);
    return { code: Number(code), output: stdout + stderr };
}

describe("The recipes for continuous integration", function () {
    // npm installs North's packed files and all of its dependencies.
    this.timeout(patient(180_000));

    let north: PackedNorth;
    let server: MessagesServer | undefined;
    let folder: string;
    before(async () => {
        north = await stageNorth();
    });
    after(() => north.remove());
    beforeEach(() => {
        folder = makeFolder({ "project/notes.txt": "one\n" });
    });
    afterEach(async () => {
        await server?.close();
        server = undefined;
    });

    async function serve(...script: readonly Reply[]): Promise<Record<string, string>> {
        server = await startMessagesServer({ script, apiKey: MODEL_KEY });
        return { ANTHROPIC_API_KEY: MODEL_KEY, ANTHROPIC_BASE_URL: server.url };
    }

    const lastRequest = () => server?.requests.at(-1)?.body;
    const notes = () => fs.readFileSync(path.join(folder, "project/notes.txt"), "utf8");
    const addTwo = toolUse("edit", "edit_after_anchor", {
        path: "notes.txt",
        anchor: "one",
        content: "two\n",
    });

    describe("action.yml", () => {
        /** Runs one script as GitHub's runner does; `env` is what the workflow gives to its step. */
        async function runScript(
            { run, env = {}, "working-directory": place = "." }: Script,
            inputs: Readonly<Record<string, string>>,
            workflow: Readonly<Record<string, string>> = {}
        ) {
            const evaluated = (value: string) =>
                value.replace(
                    /\$\{\{ inputs\.([\w-]+) \}\}/g,
                    (_, input) => inputs[input] ?? action.inputs[input]?.default ?? ""
                );
            const inFolder = (file: string) => path.join(folder, file);
            const [output, summary, script] = ["output", "summary", "script.sh"].map(inFolder);
            fs.writeFileSync(inFolder("script.sh"), run);
            fs.writeFileSync(inFolder("output"), "");
            const { code, output: printed } = await ended(
                "bash",
                ["--noprofile", "--norc", "-eo", "pipefail", script ?? ""],
                {
                    cwd: path.resolve(folder, evaluated(place)),
                    env: {
                        ...north.environment,
                        npm_config_prefix: north.prefix,
                        HOME: inFolder("home"),
                        CI: "true",
                        GITHUB_ACTIONS: "true",
                        GITHUB_WORKSPACE: folder,
                        GITHUB_OUTPUT: output ?? "",
                        GITHUB_STEP_SUMMARY: summary ?? "",
                        RUNNER_TEMP: folder,
                        ...workflow,
                        ...Object.fromEntries(
                            Object.entries(env).map(([each, value]) => [each, evaluated(value)])
                        ),
                    },
                }
            );
            const outputs = fs.readFileSync(inFolder("output"), "utf8");
            const set = [...outputs.matchAll(/^([\w-]+)<<(\S+)\n([^]*?)\n\2$/gm)];
            return {
                code,
                printed,
                outputs: Object.fromEntries(set.map(([, each = "", , value]) => [each, value])),
                summary: () => fs.readFileSync(inFolder("summary"), "utf8"),
            };
        }

        const [install, answer] = scripts;
        async function run(inputs: Record<string, string>, workflow: Record<string, string>) {
            if (!answer) throw new Error("action.yml has no step that runs North");
            return runScript(answer, { "working-directory": "project", ...inputs }, workflow);
        }

        before(async () => {
            if (!install) throw new Error("action.yml has no step that installs North");
            folder = makeFolder({});
            const { code, printed } = await runScript(install, {});
            expect(code, printed).to.equal(0);
        });

        it("The action fits GitHub's schema, and names only inputs and steps that it has", () => {
            expect(problemsIn(ACTION, action)).to.deep.equal([]);
            const named = JSON.stringify(action).matchAll(/inputs\.([\w-]+)/g);
            const inputs = new Set([...named].map(([, input]) => input));
            expect([...inputs].sort()).to.deep.equal(Object.keys(action.inputs).sort());
            for (const [output, { value }] of Object.entries(action.outputs)) {
                expect(value).to.equal(`\${{ steps.run.outputs.${output} }}`);
            }
            expect(scripts.map(({ id }) => id)).to.deep.equal([undefined, "run"]);
        });

        it("The action answers a prompt, whatever is in it, as outputs and a summary", async () => {
            const env = await serve(reply(text("First line.\nSecond line.")));
            const prompt = '"; touch owned; $(touch owned) `touch owned`';
            const { code, printed, outputs, summary } = await run({ prompt, mode: "ask" }, env);
            expect(code, printed).to.equal(0);
            expect(textsIn(lastRequest()).join("\n")).to.contain(prompt);
            expect(fs.existsSync(path.join(folder, "project", "owned"))).to.equal(false);
            expect(scripts.map(({ run: script }) => script).join("\n")).not.to.contain("${{");
            expect(outputs.result).to.equal("First line.\nSecond line.");
            expect(Number(outputs["cost-usd"])).to.be.above(0);
            expect(outputs["conversation-id"]).to.match(/^[0-9a-f]{6}$/);
            expect(Object.keys(outputs)).to.have.members(Object.keys(action.outputs));
            expect(summary()).to.equal("First line.\nSecond line.\n");
        });

        it("Lines of an answer that look like runner commands are printed where the runner obeys none", async () => {
            const said = "fine\n::error file=a.js::planted\n::add-mask::x";
            const env = await serve(reply(text(said)));
            const { code, printed } = await run({ prompt: "Go", mode: "ask" }, env);
            expect(code, printed).to.equal(0);
            const [, token = "", between, after] =
                /^::stop-commands::([\w-]{36})\n([^]*)\n::\1::\n([^]*)$/.exec(printed) ?? [];
            expect(between).to.equal(said);
            expect(between).not.to.contain(token);
            expect(after).not.to.contain("::");
        });

        it("The action edits where it may, and ends once the command of until passes", async () => {
            const env = await serve(
                reply(text("Nothing yet.")),
                reply(addTwo),
                reply(text("Done."))
            );
            const inputs = { "accept-edits": "true", until: "grep -q two notes.txt" };
            const { code, printed, outputs } = await run({ prompt: "Go on", ...inputs }, env);
            expect(code, printed).to.equal(0);
            expect(outputs.result).to.equal("Done.");
            expect(notes()).to.equal("one\ntwo\n");
        });

        it("A limit that is reached fails the action, which names it and sets its outputs all the same", async () => {
            const env = await serve(reply(addTwo));
            const limits = { prompt: "Go on", "max-turns": "1" };
            const { code, printed, outputs, summary } = await run(limits, env);
            expect(code).to.equal(1);
            const id = outputs["conversation-id"];
            expect(id).to.match(/^[0-9a-f]{6}$/);
            for (const report of [printed, summary()]) {
                expect(report).to.contain("Stopped after 1 request (--max-turns).");
                expect(report).to.contain(`north resume ${id}`);
            }
            expect(notes()).to.equal("one\n");
        });
    });

    describeContained("docs/ci.md, In a container", () => {
        const page = fs.readFileSync("docs/ci.md", "utf8");
        const [, section = ""] = page.split("\n## In a container\n");
        const fence = (language: string) =>
            new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "m").exec(section)?.[1] ?? "";
        const image = fence("dockerfile").replaceAll("\\\n", "");
        const instruction = (keyword: string) =>
            [...image.matchAll(new RegExp(`^${keyword} (.*)$`, "gm"))].map(([, rest = ""]) => rest);

        /** What `docker run` is called with: the shell has read its quotes and variables. */
        async function dockerRun(project: string) {
            const bin = path.join(folder, "bin");
            fs.mkdirSync(bin);
            const stub = `#!/bin/sh\n[ "$1" = build ] || printf '%s\\0' "$@" > "${folder}/arguments"\n`;
            fs.writeFileSync(path.join(bin, "docker"), stub, { mode: 0o755 });
            const env = { PATH: `${bin}:${process.env.PATH}` };
            const { code, output } = await ended("sh", ["-ec", fence("sh")], { cwd: project, env });
            expect(code, output).to.equal(0);
            const given = fs.readFileSync(path.join(folder, "arguments"), "utf8").split("\0");
            const end = given.indexOf("north");
            const options = given.slice(0, end);
            const values = (option: string) =>
                options.flatMap((each, index) =>
                    each === option ? (options[index + 1] ?? []) : []
                );
            return { args: given.slice(end + 1, -1), values };
        }

        /**
         * Runs a program in a root with nothing but the system's programs, an empty home and the
         * project. As in most containers, no more namespaces can be made there.
         */
        function inRoot(
            enter: string,
            program: readonly string[],
            env: Readonly<Record<string, string>>
        ): Promise<End> {
            const root = path.join(folder, "root");
            fs.mkdirSync(root, { recursive: true });
            const script = `set -e
                cd ${root}
                mkdir -p usr node proc dev work tmp root opt
                for each in bin lib lib64 sbin; do [ -L $each ] || ln -s usr/$each $each; done
                mount --rbind /usr usr
                mount --rbind ${path.dirname(path.dirname(process.execPath))} node
                mount --rbind /dev dev
                mount -t proc proc proc
                mount --bind ${folder}/project work
                exec ${enter} "$@"`;
            const namespaces = ["--user", "--map-root-user", "--mount", "--pid", "--fork"];
            return ended("unshare", [...namespaces, "sh", "-c", script, "sh", ...program], {
                env: { PATH: "/opt/bin:/node/bin:/usr/sbin:/usr/bin:/sbin:/bin", ...env },
            });
        }

        it("The container's image installs North, which edits the mounted project as its owner", async () => {
            const installs = instruction("RUN").filter((line) => line.startsWith("npm "));
            expect(installs).to.have.lengthOf(1);
            const { npm_config_registry: registry = "" } = north.environment;
            const npm = { HOME: "/root", npm_config_registry: registry, npm_config_prefix: "/opt" };
            const built = await inRoot("chroot .", ["sh", "-ec", installs.join("\n")], npm);
            expect(built.code, built.output).to.equal(0);

            const { args, values } = await dockerRun(path.join(folder, "project"));
            const workFolder = instruction("WORKDIR").join();
            expect(values("--volume")).to.deep.equal([`${folder}/project:${workFolder}`]);
            expect(values("--env")).to.deep.equal(["ANTHROPIC_API_KEY", "HOME=/tmp"]);
            const [user = "", group = ""] = values("--user").join().split(":");
            const enter = `unshare --user --map-user=${user} --map-group=${group} --root=. --wd=${workFolder}`;
            const entry: readonly string[] = JSON.parse(instruction("ENTRYPOINT").join());
            const env = await serve(
                reply(addTwo, toolUse("run", "shell_run", { command: "rm notes.txt" })),
                reply(text("Done."))
            );
            const { code, output } = await inRoot(enter, [...entry, ...args], {
                HOME: "/tmp",
                ...env,
            });
            expect(code, output).to.equal(0);
            expect(output).to.contain("Done.");
            expect(notes()).to.equal("one\ntwo\n");
            expect(textsIn(lastRequest()).join("\n")).to.contain("Update the changelog");
            expect(output).to.contain(
                "Ran only contained: rm notes.txt. It needs to write notes.txt, it says. `--approve-shell`"
            );
            const doctor = await inRoot(enter, [...entry, "doctor", "--containment"], {
                HOME: "/tmp",
            });
            expect(doctor.output).to.contain("namespaces");
        });
    });
});
