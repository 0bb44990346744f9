import * as fs from "node:fs";
import path from "node:path";
import { expect } from "chai";
import { signInWith } from "../helpers/browser.js";
import { eventually, Workplace } from "../helpers/north-program.js";
import {
    type ChatGptServer,
    type ChatGptServerOptions,
    startChatGptServer,
} from "../helpers/vendors/chatgpt-server.js";
import {
    failure,
    functionCall,
    reasoning,
    reply,
    type ResponsesReply,
    text,
} from "../helpers/vendors/responses-server.js";

/** The built program, and a strict server that signs in, renews, and refuses what a plan does. */
describe("A ChatGPT plan", () => {
    let place: Workplace;
    let server: ChatGptServer;

    async function open(options: ChatGptServerOptions) {
        place = new Workplace({ "notes.txt": "The harbour opens at six.\n" });
        server = await startChatGptServer(options);
    }
    const serve = (...script: readonly ResponsesReply[]) => open({ script });

    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    const env = () => ({ CHATGPT_BASE_URL: server.url });
    const credentials = () => path.join(place.home, ".config/north/credentials.json");
    const stored = (): string | undefined =>
        fs.existsSync(credentials())
            ? JSON.parse(fs.readFileSync(credentials(), "utf8")).apiKeys.chatgpt
            : undefined;
    const signIn = (browse: (callback: URL) => Promise<unknown> = (callback) => fetch(callback)) =>
        signInWith(place, ["login", "chatgpt"], env(), browse);
    const run = (...args: readonly string[]) => place.run(args, { env: env() });
    const ask = (...extra: readonly string[]) =>
        run("-p", "When does the harbour open?", "--output-format", "json", ...extra);

    it("signs in, works with tools and thinking, and costs nothing besides the plan", async () => {
        await serve(
            reply(
                reasoning("rs_1", "sealed", "Look."),
                functionCall("call_1", "read_file", { path: "notes.txt" })
            ),
            reply(text("At six."))
        );
        const login = await signIn(async (callback) => {
            expect(await (await fetch(callback)).text()).to.include("return to North");
        });
        expect(login.code, login.stderr).to.equal(0);
        expect(login.stdout).to.include("ChatGPT accepts the sign-in.\nStored in ");
        const [client = "", host, access = "", refresh = ""] = (stored() ?? "").split(" ");
        expect([...server.state.access]).to.deep.equal([access]);
        expect([...server.state.refresh]).to.deep.equal([refresh]);
        expect(client).to.match(/^oaiapp_/);
        expect(host).to.equal(server.state.authorizations[0]?.get("ext_agent_host_id"));
        expect(`${login.stdout}${login.stderr}`).to.not.include(access).and.not.include(refresh);

        const end = await ask();
        expect(end.code, end.stderr).to.equal(0);
        const { result, model, costUsd } = JSON.parse(end.stdout);
        expect({ result, model, costUsd }).to.deep.equal({
            result: "At six.",
            model: "gpt-6.2-sol",
            costUsd: 0,
        });
        expect(server.state.problems).to.deep.equal([]);
        expect(server.inner.problems).to.deep.equal([]);
        const costs = await run("costs", "--by", "provider");
        expect(costs.stdout).to.match(/chatgpt +2 +20 +0 +10 +\$0\.00/);
        const others = await run("costs", "--as", "gpt-6.2-sol", "--json");
        expect(JSON.parse(others.stdout).as.totalUsd).to.be.greaterThan(0);
    });

    it("has its own models in the list, and its sign-in in the doctor's report", async () => {
        const models = [
            { slug: "gpt-6.2-sol", display_name: "GPT-6.2 Sol", visibility: "list" },
            { slug: "gpt-9-nova", display_name: "GPT-9 Nova", visibility: "list" },
            { slug: "internal-review", display_name: "Review", visibility: "hide" },
        ];
        await open({ script: [], models });
        await signIn();
        const list = await run("models", "--json");
        const listed = JSON.parse(list.stdout).models.filter(
            ({ provider }: Record<string, string>) => provider === "chatgpt"
        );
        expect(listed.map(({ id }: { id: string }) => id)).to.deep.equal([
            "gpt-6.2-sol",
            "gpt-9-nova",
        ]);
        const doctor = await run("doctor");
        expect(doctor.stdout).to.include("chatgpt: credentials.json");
        expect(doctor.stdout).to.include("GPT-6.2 Sol (chatgpt)");
        const { stdout } = await run("tools");
        expect(stdout).to.match(/^ *chatgpt +\d+ +a sign-in +north-cli$/m);
    });

    it("offers nothing before a sign-in", async () => {
        await serve();
        const list = await run("models", "--all");
        expect(list.stdout).to.include("gpt-6.2-sol").and.not.include("chatgpt");
    });

    it("is what /model chooses where OpenAI has the same model for a key", async () => {
        await serve(reply(text("At six.")));
        await signIn();
        const terminal = place.open([], { env: env() });
        await terminal.waitFor("GPT-6.2 Sol");
        terminal.type("/model\r");
        await terminal.waitFor("Which model?");
        terminal.type("astra");
        await terminal.waitFor("GPT-6.2 Astra (astra, chatgpt");
        terminal.type("\r");
        await terminal.waitFor("Model: GPT-6.2 Astra");
        terminal.type("When?\r");
        await terminal.waitFor("At six.");
        expect(server.inner.requests.map(({ body }) => body.model)).to.deep.equal([
            "gpt-6.2-astra",
        ]);
    });

    it("renews a token that has ended once, whoever asks first", async () => {
        await open({ script: () => reply(text("At six.")) });
        server.state.lastsSeconds = 60;
        await signIn();
        server.state.lastsSeconds = 3_600;
        const before = server.state.forms.length;
        let renew = () => {};
        server.state.gate = new Promise<void>((resolve) => (renew = resolve));
        const programs = [1, 2, 3].map(() =>
            place.start(["-p", "Hi", "--output-format", "stream-json"], { env: env() })
        );
        // The first one renews until the others are about to.
        await eventually(() => programs.every((each) => each.stdout() !== ""), "all to begin");
        await eventually(() => server.state.forms.length > before, "a renewal");
        renew();
        const ends = await Promise.all(programs.map(({ ended }) => ended));
        expect(ends.map(({ code, stderr }) => stderr || code)).to.deep.equal([0, 0, 0]);
        const renewals = server.state.forms.slice(before);
        expect(renewals.map((form) => form.get("grant_type"))).to.deep.equal(["refresh_token"]);
        expect([...server.state.refresh]).to.deep.equal([stored()?.split(" ")[3]]);
    });

    it("renews in the middle of a turn when a token is refused, and hides the new ones too", async () => {
        const show = (callId: string) =>
            reply(functionCall(callId, "shell_run", { command: `cat '${credentials()}'` }));
        await open({
            script: ({ body: { input } }) => {
                if (input.length > 4) return reply(text("Done."));
                if (input.length > 1) return show("call_2");
                // The account's page ended the token, not the sign-in.
                server.state.access.clear();
                return show("call_1");
            },
        });
        await signIn();
        const first = stored()?.split(" ") ?? [];
        const end = await ask("--approve-shell", "--contain", "off");
        expect(end.code, end.stderr).to.equal(0);
        const second = stored()?.split(" ") ?? [];
        expect(second.slice(0, 2)).to.deep.equal(first.slice(0, 2));
        expect(second[2]).to.not.equal(first[2]);
        const sent = JSON.stringify(server.state.bodies);
        expect(sent.match(/apiKeys/g)).to.have.lengthOf(3);
        for (const token of [first[2], first[3], second[2], second[3]]) {
            expect(sent).to.not.include(token);
        }
    });

    for (const [name, end, sentence] of [
        [
            "revoked elsewhere",
            () => (server.state.access.clear(), server.state.refresh.clear()),
            "Your ChatGPT sign-in has expired.",
        ],
        [
            "that cannot be renewed now",
            () => (server.state.access.clear(), (server.state.renewalStatus = 403)),
            "ChatGPT denied access.",
        ],
    ] as const) {
        it(`A sign-in ${name} fails in one sentence with the next step`, async () => {
            await serve();
            await signIn();
            end();
            const failed = await run("-p", "Hi");
            expect(failed.code).to.equal(1);
            expect(failed.stderr).to.include(sentence);
            expect(failed.stderr.match(/north login|\/model/g) ?? []).to.not.be.empty;
            expect(failed.stdout).to.equal("");
        });
    }

    it("signs in again with the registration of the account", async () => {
        await serve();
        await signIn();
        const before = stored()?.split(" ");
        const again = await signIn();
        expect(again.code, again.stderr).to.equal(0);
        expect(stored()?.split(" ").slice(0, 2)).to.deep.equal(before?.slice(0, 2));
        const asked = server.state.authorizations.map((each) => each.get("client_id"));
        expect(asked).to.deep.equal(["dynamic_agent_client", before?.[0]]);
    });

    it("A limit of the plan is not retried, before the reply or within it", async () => {
        const code = "subscription_sharing_usage_limit_exceeded";
        const message = "You have reached your plan's limit.";
        await serve(failure(429, { code, message }), {
            ...reply(),
            status: "failed",
            error: { code, message },
        });
        await signIn();
        for (const requests of [1, 2]) {
            const end = await run("-p", "Hi");
            expect(end.code).to.equal(1);
            expect(end.stderr).to.include("You have reached your plan's limit");
            expect(end.stderr).to.include("https://chatgpt.com/settings/usage");
            expect(server.inner.requests.length).to.equal(requests);
        }
    });

    it("An account without a plan to share is told the alternatives", async () => {
        const code = "subscription_sharing_user_not_eligible";
        await serve(failure(403, { code, message: "Not available for this workspace." }));
        await signIn();
        const end = await run("-p", "Hi");
        expect(end.code).to.equal(1);
        expect(end.stderr).to.include("Not available for this workspace.");
        expect(end.stderr).to.include("Or use an API key: `north login openai`.");
    });

    it("Signing out ends the sign-in at the vendor and here", async () => {
        await serve();
        await signIn();
        const end = await run("logout", "chatgpt");
        expect(end.stdout).to.equal("Removed the stored ChatGPT sign-in.\n");
        expect([...server.state.refresh]).to.deep.equal([]);
        expect(stored()).to.equal(undefined);
        const failed = await run("-p", "Hi", "--model", "chatgpt/gpt-6.2-sol");
        expect(failed.code).to.equal(1);
        expect(failed.stderr).to.include("You are not signed in to ChatGPT.");
        expect(failed.stderr).to.include("Run `north login chatgpt`.");
    });

    it("Signing out without the vendor ends it here, and says so", async () => {
        await serve();
        await signIn();
        const end = await place.run(["logout", "chatgpt"], {
            env: { CHATGPT_BASE_URL: "http://127.0.0.1:9/v1" },
        });
        expect(end.code).to.equal(0);
        expect(end.stderr).to.include("Could not end the sign-in at ChatGPT.");
        expect(stored()).to.equal(undefined);
    });

    for (const [name, spoil, sentence] of [
        [
            "denied",
            (at: URL) => (
                at.searchParams.delete("code"),
                at.searchParams.set("error", "access_denied")
            ),
            "Not signed in: access was denied in the browser.",
        ],
        [
            "with a code that is refused",
            (at: URL) => at.searchParams.set("code", "another"),
            "Not signed in: ChatGPT does not accept the code.",
        ],
        [
            "without a registration",
            (at: URL) => at.searchParams.delete("client_id"),
            "without this account's registration",
        ],
    ] as const) {
        it(`A sign-in ${name} stores nothing and says what to do`, async () => {
            await serve();
            const end = await signIn(async (callback) => {
                spoil(callback);
                await fetch(callback);
            });
            expect(end.code).to.equal(1);
            expect(end.stderr).to.include(sentence);
            expect(end.stderr).to.include("Run `north login chatgpt` again.");
            expect(stored()).to.equal(undefined);
        });
    }

    it("An account that shares only its identity stores nothing", async () => {
        await serve();
        server.state.sharesPlan = false;
        const end = await signIn();
        expect(end.code).to.equal(1);
        expect(end.stderr).to.include("Your ChatGPT plan is not shared with North.");
        expect(stored()).to.equal(undefined);
    });
});
