import { spawn } from "node:child_process";
import { once } from "node:events";
import * as fs from "node:fs";
import path from "node:path";
import { parseWorkflow } from "@actions/workflow-parser";
import { NoOperationTraceWriter } from "@actions/workflow-parser/templates/trace-writer";
import { expect } from "chai";
import ts from "typescript";
import { parse } from "yaml";
import { Workplace } from "../helpers/north-program.js";

/** The YAML blocks of the page by their first key. */
function recipe(first: string): string {
    const page = fs.readFileSync("docs/fleet.md", "utf8");
    const blocks = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = ""]) => block);
    return blocks.find((block) => block.startsWith(first)) ?? "";
}

/** What the compiler finds wrong in a Job, by types that are generated from the published API. */
function problemsInJob(job: unknown): readonly string[] {
    const name = path.resolve("test/e2e/job-of-the-page.ts");
    const text = `import type { Job } from "kubernetes-types/batch/v1";\nexport const job: Job = ${JSON.stringify(job)};\n`;
    const options: ts.CompilerOptions = {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: [],
        module: ts.ModuleKind.NodeNext,
    };
    const host = ts.createCompilerHost(options);
    const { fileExists, readFile, getSourceFile } = host;
    host.fileExists = (file) => file === name || fileExists(file);
    host.readFile = (file) => (file === name ? text : readFile(file));
    host.getSourceFile = (file, ...rest) =>
        file === name
            ? ts.createSourceFile(file, text, ts.ScriptTarget.Latest)
            : getSourceFile(file, ...rest);
    const program = ts.createProgram([name], options, host);
    return ts
        .getPreEmitDiagnostics(program)
        .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}

describe("Recipes for many tasks", () => {
    let place: Workplace;

    beforeEach(() => {
        place = new Workplace();
    });
    afterEach(() => place.remove());

    /** Runs a script of the page with North in the PATH, without a vendor. */
    async function run(script: string, env: NodeJS.ProcessEnv): Promise<void> {
        const bin = path.join(place.folder, "bin");
        fs.mkdirSync(bin, { recursive: true });
        fs.rmSync(path.join(bin, "north"), { force: true });
        fs.symlinkSync(path.resolve("bin/run.js"), path.join(bin, "north"));
        const { PATH } = process.env;
        const child = spawn("bash", ["-ec", script.replace("north -p", "$& --model offline")], {
            cwd: place.repository,
            env: { PATH: `${bin}:${PATH}`, HOME: place.home, ...env },
            stdio: ["ignore", "ignore", "inherit"],
        });
        const [code] = await once(child, "exit");
        expect(code).to.equal(0);
    }

    const resultIn = (folder: string, id: string) =>
        JSON.parse(fs.readFileSync(path.join(folder, `${id}.json`), "utf8"));

    it("The Kubernetes manifest fits the published API, which refuses a planted mistake", () => {
        const job = parse(recipe("apiVersion"));
        expect(problemsInJob(job)).to.deep.equal([]);
        const misspelt = { ...job, spec: { ...job.spec, backoffLimitPerIndexes: 4 } };
        expect(problemsInJob(misspelt).join()).to.contain("backoffLimitPerIndexes");
    });

    it("The manifest's script answers the task of its index, and again from the log", async () => {
        const job = parse(recipe("apiVersion"));
        const [container] = job.spec.template.spec.containers;
        expect(container.command).to.deep.equal(["bash", "-ec"]);
        const results = path.join(place.folder, "results");
        fs.mkdirSync(results);
        fs.writeFileSync(path.join(place.folder, "ids"), "fix-12\nfix-13\n");
        const env = { JOB_COMPLETION_INDEX: "1", NORTH_DATA_DIR: path.join(place.folder, "north") };
        await run(container.args[0], env);
        const first = resultIn(results, "fix-13");
        expect(first.stopReason).to.equal("end");
        await run(container.args[0], env);
        expect(resultIn(results, "fix-13").conversationId).to.equal(first.conversationId);
        expect(fs.readdirSync(results)).to.deep.equal(["fix-13.json"]);
    });

    it("The matrix is a workflow that GitHub's parser accepts, and its step writes a result", async () => {
        const content = recipe("name: Tasks");
        const errorsIn = (text: string) =>
            parseWorkflow({ name: "tasks.yml", content: text }, new NoOperationTraceWriter())
                .context.errors.getErrors()
                .map(({ message }) => message);
        expect(errorsIn(content)).to.deep.equal([]);
        expect(errorsIn(content.replace("fail-fast", "fail-fst")).join()).to.contain("fail-fst");
        const [, task] = parse(content).jobs.task.steps.filter(
            (step: { run?: string }) => step.run
        );
        await run(task.run, { ID: "fix-12", RUNNER_TEMP: place.folder });
        expect(resultIn(place.folder, "fix-12").stopReason).to.equal("end");
    });
});
