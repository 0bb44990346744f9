import { once } from "node:events";
import { generateKeyPairSync } from "node:crypto";
import * as fs from "node:fs";
import http from "node:http";
import type { AddressInfo } from "node:net";
import os from "node:os";
import path from "node:path";
import { expect } from "chai";
import { checkModels, sampleRequest } from "north-cli/plugin-testing";
import { collect, failureOf } from "../../../test/builtin/providers/support.js";
import {
    type GoogleServer,
    PROJECT,
    startGoogleServer,
} from "../../../test/helpers/vendors/google-server.js";
import { vertexAddress } from "../src/vendor.js";
import { vertex } from "../src/vertex.js";

// What it has in common with the other providers is in test/contract/vendors.test.ts.

const TOKEN = "ya29.a-token-of-the-test";
const GRANTED = { access_token: TOKEN, expires_in: 3599, token_type: "Bearer" };
const REVOKED = { error: "invalid_grant", error_description: "Token has been expired or revoked." };
const VARIABLES = [
    "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_CLOUD_LOCATION",
    "GOOGLE_CLOUD_PROJECT",
    "GCLOUD_PROJECT",
    "METADATA_SERVER_DETECTION",
    "PATH",
];

describe("Vertex AI", () => {
    let folder: string;
    let before: Record<string, string | undefined>;
    let server: GoogleServer;
    let tokens: http.Server;
    let granted: number;
    let paths: string[];

    beforeEach(() => {
        folder = fs.mkdtempSync(path.join(os.tmpdir(), "north-vertex-"));
        before = Object.fromEntries(VARIABLES.map((name) => [name, process.env[name]]));
        for (const name of VARIABLES) delete process.env[name];
        // Neither a cloud's machine nor an installed gcloud is asked.
        process.env.METADATA_SERVER_DETECTION = "none";
        process.env.PATH = folder;
        granted = 0;
        paths = [];
    });
    afterEach(async () => {
        for (const [name, value] of Object.entries(before)) {
            if (value === undefined) delete process.env[name];
            else process.env[name] = value;
        }
        tokens.closeAllConnections();
        tokens.close();
        await server.close();
        fs.rmSync(folder, { recursive: true });
    });

    function useFile(credentials: object): void {
        const file = path.join(folder, "credentials.json");
        fs.writeFileSync(file, JSON.stringify(credentials));
        process.env.GOOGLE_APPLICATION_CREDENTIALS = file;
    }

    /** As `gcloud auth application-default login` writes it. */
    const signIn = () =>
        useFile({
            ...{ type: "authorized_user", client_id: "north.test", client_secret: "not-secret" },
            refresh_token: "1//a-refresh-token",
        });

    /** Google's token endpoint and Vertex AI, both on loopback. */
    async function connect(answer: (response: http.ServerResponse) => void, replies = 1) {
        const script = Array.from({ length: replies }, () => ({ parts: [{ text: "Hi" }] }));
        server = await startGoogleServer({ script, apiKey: TOKEN, isVertex: true });
        tokens = http.createServer((incoming, response) => {
            granted += 1;
            incoming.resume();
            answer(response);
        });
        await once(tokens.listen(0, "127.0.0.1"), "listening");
        const { port } = tokens.address() as AddressInfo;
        return vertex.connect({
            baseURL: server.url,
            fetch: (input, init) => {
                const url = String(input instanceof Request ? input.url : input);
                const isToken = url === "https://oauth2.googleapis.com/token";
                if (!isToken) paths.push(new URL(url).pathname);
                return fetch(isToken ? `http://127.0.0.1:${port}/token` : url, init);
            },
        });
    }

    const answering = (status: number, body: object) => (response: http.ServerResponse) => {
        response.writeHead(status, { "content-type": "application/json" });
        response.end(JSON.stringify(body));
    };
    const ask = (connection: Awaited<ReturnType<typeof connect>>, signal?: AbortSignal) =>
        collect(connection, sampleRequest(vertex), signal, "vertex");

    it("Application default credentials give one token for many requests", async () => {
        signIn();
        process.env.GOOGLE_CLOUD_PROJECT = PROJECT;
        const connection = await connect(answering(200, GRANTED), 2);
        expect((await ask(connection)).text).to.equal("Hi");
        expect((await ask(connection)).text).to.equal("Hi");
        expect(server.requests[0]?.headers.authorization).to.equal(`Bearer ${TOKEN}`);
        expect(granted).to.equal(1);
        server.assertDone();
    });

    it("A service account's key gives token and project, and the location has its variable", async () => {
        const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
        useFile({
            ...{ type: "service_account", client_email: "north@test.example" },
            ...{ project_id: PROJECT, private_key_id: "1" },
            private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
        });
        process.env.GOOGLE_CLOUD_LOCATION = "europe-west4";
        expect((await ask(await connect(answering(200, GRANTED)))).text).to.equal("Hi");
        expect(paths).to.deep.equal([
            `/v1beta1/projects/${PROJECT}/locations/europe-west4/publishers/google/models/gemini-3.8-flash:streamGenerateContent`,
        ]);
    });

    it("A revoked sign-in names the command that renews it, and is not retried", async () => {
        signIn();
        process.env.GOOGLE_CLOUD_PROJECT = PROJECT;
        const error = await failureOf(ask(await connect(answering(400, REVOKED))));
        expect(error).to.include({ code: "authentication" });
        expect(error.retryable).to.not.equal(true);
        expect(error.message).to.match(/^There are no Google Cloud credentials: .*invalid_grant/);
        expect(error.nextSteps.join(" ")).to.include("gcloud auth application-default login");
        expect(granted).to.equal(1);
        expect(server.requests).to.deep.equal([]);
    });

    it("A file of credentials that is missing is named", async () => {
        process.env.GOOGLE_APPLICATION_CREDENTIALS = path.join(folder, "gone.json");
        process.env.GOOGLE_CLOUD_PROJECT = PROJECT;
        const error = await failureOf(ask(await connect(answering(200, GRANTED))));
        expect(error).to.include({ code: "authentication" });
        expect(error.message).to.include("gone.json");
    });

    it("Without a project, the variable is named before a request", async () => {
        signIn();
        const error = await failureOf(ask(await connect(answering(200, GRANTED))));
        expect(error).to.include({ code: "invalid-request" });
        expect(error.nextSteps).to.deep.equal(["Set GOOGLE_CLOUD_PROJECT."]);
        expect(server.requests).to.deep.equal([]);
    });

    it("A cancel while the token is awaited rejects at once with the signal's reason", async () => {
        signIn();
        process.env.GOOGLE_CLOUD_PROJECT = PROJECT;
        const cancel = new AbortController();
        const reason = new Error("enough");
        const connection = await connect(() => cancel.abort(reason), 0);
        expect(await ask(connection, cancel.signal).catch((error: unknown) => error)).to.equal(
            reason
        );
    });

    it("Each location has the address that Google documents", async () => {
        await connect(answering(200, GRANTED), 0);
        expect(["global", "us-central1", "europe-west4", "eu"].map(vertexAddress)).to.deep.equal([
            "https://aiplatform.googleapis.com",
            "https://us-central1-aiplatform.googleapis.com",
            "https://europe-west4-aiplatform.googleapis.com",
            "https://aiplatform.eu.rep.googleapis.com",
        ]);
    });

    it("Its Gemini models have no aliases, which mean the Gemini API, and no price", async () => {
        await connect(answering(200, GRANTED), 0);
        checkModels(vertex);
        for (const { aliases, ...model } of vertex.models) {
            if (!model.id.startsWith("gemini-")) continue;
            expect(aliases).to.deep.equal([]);
            expect(model).to.not.have.any.keys("prices", "isDefault");
        }
    });
});
