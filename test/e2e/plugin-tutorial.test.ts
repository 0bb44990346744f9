import { execFile, execFileSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import {
    type MessagesServer,
    reply,
    startMessagesServer,
    text,
    toolUse,
} from "../helpers/messages-server.js";
import { Workplace } from "../helpers/north-program.js";

const run = promisify(execFile);
const checkout = path.resolve(".");

/** A step of the tutorial: what is typed at a shell, or a file that is written. */
type Step =
    | { readonly kind: "type"; readonly commands: string }
    | { readonly kind: "write"; readonly file: string; readonly content: string };

/** The fences of a section: those of `sh`, and those below a line that is a file's name. */
function stepsOf(page: string, heading: string): Step[] {
    const markdown = fs.readFileSync(page, "utf8");
    const [, section = ""] = markdown.split(`\n## ${heading}\n`);
    const [own = ""] = section.split(/^## /m);
    const fences = own.matchAll(/(?:^`([^`\n]+)`:\n\n)?^```(\w+)\n([^]*?)^```$/gm);
    return [...fences].flatMap(([, file, language, content = ""]): Step[] => {
        if (file !== undefined) return [{ kind: "write", file, content }];
        return language === "sh" ? [{ kind: "type", commands: content }] : [];
    });
}

describe("the tutorial for plugins", () => {
    let place: Workplace;
    let server: MessagesServer | undefined;
    let folder: string;
    let env: Record<string, string>;

    beforeEach(() => {
        place = new Workplace({ "README.md": "four words are here\n" });
        folder = place.temporary;
        const prefix = path.join(place.folder, "prefix");
        installPacked(prefix);
        env = place.environment({
            PATH: `${path.join(prefix, "bin")}:${process.env.PATH}`,
            // Whatever asks the registry fails.
            npm_config_registry: "http://127.0.0.1:9/",
            npm_config_offline: "true",
            npm_config_audit: "false",
            npm_config_update_notifier: "false",
        });
    });
    afterEach(async () => {
        await server?.close();
        server = undefined;
        await place.remove();
    });

    /**
     * What `npm install --global` of the packed archive makes, but for the packages it depends on:
     * they are this checkout's, so that no registry is asked.
     */
    function installPacked(prefix: string): void {
        const installed = path.join(prefix, "lib/node_modules/north-cli");
        for (const made of [installed, path.join(prefix, "bin")]) {
            fs.mkdirSync(made, { recursive: true });
        }
        // Not built again: other tests use what is built.
        const packing = ["pack", "--ignore-scripts", "--silent", "--pack-destination", prefix];
        execFileSync("npm", packing, { cwd: checkout, stdio: ["ignore", "ignore", "ignore"] });
        const [archive = ""] = fs.readdirSync(prefix).filter((name) => name.endsWith(".tgz"));
        const unpacking = ["-xzf", path.join(prefix, archive), "--strip-components=1"];
        execFileSync("tar", [...unpacking, "-C", installed]);
        fs.symlinkSync(path.join(checkout, "node_modules"), path.join(installed, "node_modules"));
        fs.symlinkSync(path.join(installed, "bin/run.js"), path.join(prefix, "bin/north"));
    }

    async function perform(step: Step): Promise<void> {
        if (step.kind === "write") {
            fs.writeFileSync(path.join(folder, step.file), step.content);
            return;
        }
        const script = `set -e\n${step.commands}\npwd > ${path.join(place.folder, "folder")}\n`;
        await run("bash", ["-c", script], { cwd: folder, env });
        folder = fs.readFileSync(path.join(place.folder, "folder"), "utf8").trim();
    }

    async function north(args: readonly string[], more: Record<string, string> = {}) {
        const running = run("north", [...args], {
            cwd: place.repository,
            env: { ...env, ...more },
        });
        running.child.stdin?.end();
        return (await running).stdout;
    }

    it("works as it is written, on packed archives and without a registry", async () => {
        const steps = stepsOf("docs/plugins.md", "A plugin from an empty folder");
        const last = steps.pop();
        expect(last?.kind === "type" && last.commands).to.match(/^north plugins uninstall /);
        expect(steps.map(({ kind }) => kind)).to.include.members(["type", "write"]);
        for (const step of steps) await perform(step);

        expect(await north(["plugins"])).to.match(/^north-plugin-words 1\.0\.0$/m);
        expect(await north(["tools"])).to.match(/^count_words +none +yes +north-plugin-words$/m);
        server = await startMessagesServer({
            script: [
                reply(toolUse("toolu_1", "count_words", { path: "README.md" })),
                reply(toolUse("toolu_2", "count_words", { path: "../x" })),
                reply(text("Four.")),
            ],
        });
        const vendor = { ANTHROPIC_API_KEY: "a-key-of-the-test", ANTHROPIC_BASE_URL: server.url };
        const asked = ["-p", "How many words?", "--output-format", "stream-json"];
        const events = (await north(asked, vendor))
            .trim()
            .split("\n")
            .map((line) => JSON.parse(line));
        server.assertDone();
        const finished = events.filter(({ type }) => type === "tool-call-finished");
        expect(finished[0]).to.deep.include({ name: "count_words", ok: true, summary: "4 words" });
        expect(finished[1].error).to.deep.include({ code: "outside-repository" });
        expect(events.at(-1)).to.deep.include({ type: "result", result: "Four." });

        if (last) await perform(last);
        expect(await north(["tools"])).not.to.contain("north-plugin-words");
    }).timeout(80_000);

    it("leads to an example that installs the same way", async () => {
        const example = path.join(checkout, "plugins/north-tool-example");
        const packing = ["pack", "--silent", "--pack-destination", folder];
        await run("npm", packing, { cwd: example, env });
        const archive = path.join(folder, "north-tool-example-0.1.0.tgz");
        await north(["plugins", "install", `file:${archive}`]);
        expect(await north(["tools"])).to.match(/^json_value +none +yes +north-tool-example$/m);
    }).timeout(40_000);
});
