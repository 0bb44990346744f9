import { createHash } from "node:crypto";
import { once } from "node:events";
import * as fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { signInWith } from "../helpers/browser.js";
import { Workplace } from "../helpers/north-program.js";

const KEY = "sk-or-v1-a-key-of-the-account";
const CODE = "auth_code_of_the_test";

/**
 * OpenRouter's page and exchange on loopback, with its rules:
 * https://openrouter.ai/docs/guides/overview/auth/oauth
 */
class SignInServer {
    private readonly server = http.createServer((request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
        if (pathname === "/auth") return this.authorize(searchParams, response);
        if (pathname === "/api/v1/auth/keys") return void this.exchange(request, response);
        response.writeHead(404).end();
    });
    private challenge = "";
    isUsed = false;
    /** Replaces the exchange's answer. */
    answer: { readonly status: number; readonly body: string } | undefined;

    async listen(): Promise<string> {
        await once(this.server.listen(0, "127.0.0.1"), "listening");
        return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
    }

    private authorize(asked: URLSearchParams, response: http.ServerResponse): void {
        const callback = new URL(asked.get("callback_url") ?? "");
        const isAllowed = callback.protocol === "https:" || callback.hostname === "localhost";
        if (!isAllowed || asked.get("code_challenge_method") !== "S256") {
            return void response.writeHead(400).end();
        }
        this.challenge = asked.get("code_challenge") ?? "";
        callback.searchParams.set("code", CODE);
        response.writeHead(302, { location: callback.href }).end();
    }

    private async exchange(request: http.IncomingMessage, response: http.ServerResponse) {
        const asked = JSON.parse(await text(request));
        const verifier = String(asked.code_verifier);
        const isProven =
            createHash("sha256").update(verifier).digest("base64url") === this.challenge;
        const refuse = (status: number, message: string) =>
            response
                .writeHead(status, { "content-type": "application/json" })
                .end(JSON.stringify({ error: { code: status, message } }));
        if (this.answer) {
            const { status, body } = this.answer;
            return response.writeHead(status, { "content-type": "application/json" }).end(body);
        }
        if (request.method !== "POST") return refuse(405, "Method Not Allowed");
        if (asked.code_challenge_method !== "S256") return refuse(400, "Invalid method");
        if (asked.code !== CODE || this.isUsed || !isProven || request.headers.authorization) {
            return refuse(403, "Invalid code or code_verifier");
        }
        this.isUsed = true;
        return response
            .writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify({ key: KEY, user_id: "user_1" }));
    }

    async close(): Promise<void> {
        this.server.closeAllConnections();
        this.server.close();
        await once(this.server, "close");
    }
}

/** The built program, and a browser that follows the page's redirect. */
describe("north login --browser", () => {
    let place: Workplace;
    let server: SignInServer;
    let origin: string;

    beforeEach(async () => {
        place = new Workplace();
        server = new SignInServer();
        origin = await server.listen();
    });
    afterEach(async () => {
        await server.close();
        await place.remove();
    });

    const stored = () => {
        const file = path.join(place.home, ".config/north/credentials.json");
        return fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8")).apiKeys : {};
    };

    const signIn = (browse: (callback: URL) => Promise<unknown>) =>
        signInWith(
            place,
            ["login", "openrouter", "--browser"],
            { OPENROUTER_BASE_URL: `${origin}/api/v1` },
            browse
        );

    it("The key of the account is exchanged with proof and stored, and is shown nowhere", async () => {
        const end = await signIn(async (callback) => {
            const page = await fetch(callback);
            expect(await page.text()).to.equal("You can close this page and return to North.");
        });
        expect(end.code, end.stderr).to.equal(0);
        expect(end.stdout).to.include("Stored in ");
        expect(stored()).to.deep.equal({ openrouter: KEY });
        expect(`${end.stdout}${end.stderr}`).to.not.include(KEY);
        expect(server.isUsed).to.equal(true);
    });

    it("Another page's request to the callback is not mistaken for the vendor's answer", async () => {
        const end = await signIn(async (callback) => {
            const guess = await fetch(`${callback.origin}/callback?code=stolen`);
            expect(guess.status).to.equal(404);
            await fetch(callback);
        });
        expect(end.code, end.stderr).to.equal(0);
        expect(stored()).to.deep.equal({ openrouter: KEY });
    });

    for (const [name, spoil, sentence] of [
        [
            "comes back without a code",
            (callback: URL) => callback.searchParams.delete("code"),
            "Not signed in: the browser came back without a code.",
        ],
        [
            "brings a code that the vendor refuses",
            (callback: URL) => callback.searchParams.set("code", "another"),
            "Not signed in: OpenRouter does not accept the code.",
        ],
    ] as const) {
        it(`A browser that ${name} stores nothing and says what to do`, async () => {
            const end = await signIn(async (callback) => {
                spoil(callback);
                await fetch(callback);
            });
            expect(end.code).to.equal(1);
            expect(end.stderr).to.include(sentence);
            expect(end.stderr).to.include("paste a key without --browser");
            expect(stored()).to.deep.equal({});
        });
    }

    for (const [name, answer, sentence] of [
        ["fails", { status: 500, body: "{}" }, "OpenRouter had an internal error"],
        ["sends no key", { status: 200, body: "{}" }, "OpenRouter sent no key"],
    ] as const) {
        it(`An exchange that ${name} stores nothing`, async () => {
            server.answer = answer;
            const end = await signIn((callback) => fetch(callback));
            expect(end.code).to.equal(1);
            expect(end.stderr).to.include(sentence);
            expect(stored()).to.deep.equal({});
        });
    }

    it("A provider without a sign-in is refused with those that have one", async () => {
        const end = await place.run(["login", "anthropic", "--browser"]);
        expect(end.code).to.equal(1);
        expect(end.stderr).to.include("Anthropic has no sign-in.");
        expect(end.stderr).to.include("Providers with one: openrouter, chatgpt.");
    });
});
