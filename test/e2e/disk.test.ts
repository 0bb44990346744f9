import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import {
    reply,
    startMessagesServer,
    text,
    toolUse,
    type MessagesServer,
} from "../helpers/vendors/messages-server.js";
import { Workplace, type ProgramEnd } from "../helpers/north-program.js";

// A file system of its own for one process needs a kernel that lets everybody have one.
const canMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

describe("Disk that cannot be written", () => {
    let place: Workplace;
    let server: MessagesServer;

    beforeEach(async () => {
        place = new Workplace();
        server = await startMessagesServer({ script: () => reply(text("ok")) });
    });
    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    const env = () => ({ ANTHROPIC_API_KEY: "test-key", ANTHROPIC_BASE_URL: server.url });

    function expectOneSentence(end: ProgramEnd, sentence: RegExp): void {
        expect(end.code).to.equal(1);
        expect(end.stdout).to.equal("");
        expect(end.stderr).to.match(sentence);
        expect(end.stderr).not.to.match(/^ +at |bug/m);
        expect(server.requests).to.deep.equal([]);
    }

    it("A NORTH_DATA_DIR that is not a folder is reported in one sentence", async () => {
        const file = path.join(place.folder, "file");
        fs.writeFileSync(file, "");
        const end = await place.run(["-p", "hi"], {
            env: { ...env(), NORTH_DATA_DIR: path.join(file, "data") },
        });
        expectOneSentence(end, /^\/\S+\/file must be a folder\.\n/);
    });

    it("A home folder that cannot be created is reported in one sentence", async () => {
        const end = await place.run(["-p", "hi"], { env: { ...env(), HOME: "/proc/nobody" } });
        expectOneSentence(
            end,
            /^North cannot write .*\((no such file or directory|read-only file system|permission denied)\)/
        );
    });

    if (canMount) {
        const mounted = (options: string) => {
            const mount = `mount -t tmpfs -o ${options} none ${place.home} && exec "$@"`;
            return ["unshare", "-rm", "sh", "-c", mount, "sh"];
        };

        it("A read-only home folder is reported in one sentence", async () => {
            const end = await place.run(["-p", "hi"], { env: env(), under: mounted("ro") });
            expectOneSentence(end, /^North cannot write .*\(read-only file system\)/);
        });

        it("A read-only disk can still be read", async () => {
            for (const args of [["costs", "--json"], ["conversations", "--json"], ["models"]]) {
                const end = await place.run(args, { under: mounted("ro") });
                expect([args, end.code, end.stderr]).to.deep.equal([args, 0, ""]);
            }
            const login = await place.run(["login"], {
                env: env(),
                under: mounted("ro"),
                stdin: { text: "k" },
            });
            expectOneSentence(
                login,
                /^North cannot write .*credentials\.json \(read-only file system\)/
            );
        });

        it("Commands run contained although the disk for their layers is full", async () => {
            place.configure({ containment: "auto" });
            const folder = path.join(place.data, "contained");
            fs.mkdirSync(folder, { recursive: true });
            const fill = `mount -t tmpfs -o size=4k none ${folder} && head -c 4096 /dev/zero >${folder}/full`;
            const replies = [
                reply(toolUse("one", "shell_run", { command: "echo ran" })),
                reply(text("ok")),
            ];
            await server.close();
            server = await startMessagesServer({ script: replies });
            const under = ["unshare", "-rm", "sh", "-c", `${fill}; exec "$@"`, "sh"];
            const end = await place.run(["-p", "hi"], { env: env(), under });
            expect(end.stderr).to.match(/^Commands run contained first: .*\n$/);
            const result = JSON.stringify(server.requests[1]?.body.messages.at(-1));
            expect(result).to.match(/\bran\b.*\bcontained\b/);
        });

        it("A full disk is reported in one sentence", async () => {
            const under = mounted("size=4k,nr_inodes=2");
            const end = await place.run(["-p", "hi"], { env: env(), under });
            expectOneSentence(end, /^The disk is full: /);
        });
    }
});
