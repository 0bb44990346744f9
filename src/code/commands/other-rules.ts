import { argumentsOf, other, type Call, type Fact } from "./facts.js";

/** The first words of a command, options left out, and what it does. */
type Table = readonly (readonly [words: RegExp, text: string])[];

const PUBLISHES = "publishes";
const CLOUD = "deletes from the cloud";
const CLUSTER = "deletes from the cluster";
const INFRASTRUCTURE = "destroys infrastructure";
const DATABASE = "deletes from a database";
const PROCESSES = "stops processes";
const SERVICES = "stops services";
const MACHINE = "shuts the machine down";
const DISK = "formats a disk";
const INSTALLED: Table = [
    [/^(remove|purge|autoremove|erase|uninstall)\b/, "uninstalls packages from the machine"],
];

/** By the name of the program. An empty pattern is any use. */
const TABLES: Readonly<Record<string, Table>> = {
    kill: [[/^(?!.)|./, PROCESSES]],
    pkill: [[/^/, PROCESSES]],
    killall: [[/^/, PROCESSES]],
    fuser: [[/^/, PROCESSES]],
    systemctl: [
        [/^(stop|disable|mask|kill|restart)\b/, SERVICES],
        [/^(poweroff|reboot|halt)/, MACHINE],
    ],
    service: [[/ (stop|restart)\b/, SERVICES]],
    launchctl: [[/^(unload|bootout|remove|stop)\b/, SERVICES]],
    shutdown: [[/^/, MACHINE]],
    reboot: [[/^/, MACHINE]],
    poweroff: [[/^/, MACHINE]],
    halt: [[/^/, MACHINE]],
    mkfs: [[/^/, DISK]],
    wipefs: [[/^/, DISK]],
    fdisk: [[/^/, DISK]],
    sfdisk: [[/^/, DISK]],
    parted: [[/^/, DISK]],
    mkswap: [[/^/, DISK]],
    diskutil: [[/^(erase|partition|zero|reformat)/i, DISK]],
    kubectl: [
        [/^(delete|drain)\b/, CLUSTER],
        [/^rollout undo\b/, "changes the cluster"],
    ],
    oc: [[/^delete\b/, CLUSTER]],
    helm: [
        [/^(uninstall|delete|rollback)\b/, CLUSTER],
        [/^push\b/, PUBLISHES],
    ],
    terraform: [
        [/^(destroy|apply)\b/, INFRASTRUCTURE],
        [/^state rm\b/, INFRASTRUCTURE],
    ],
    tofu: [[/^(destroy|apply)\b/, INFRASTRUCTURE]],
    terragrunt: [[/^(destroy|apply|run-all)\b/, INFRASTRUCTURE]],
    pulumi: [[/^(destroy|up)\b/, INFRASTRUCTURE]],
    cdk: [
        [/^destroy\b/, INFRASTRUCTURE],
        [/^deploy\b/, PUBLISHES],
    ],
    aws: [
        [/^s3 (rm|rb)\b/, CLOUD],
        [/^\S+ (delete|terminate|remove|deregister)-/, CLOUD],
    ],
    gcloud: [[/ delete\b/, CLOUD]],
    gsutil: [[/^(rm|rb)\b/, CLOUD]],
    az: [[/ (delete|purge)\b/, CLOUD]],
    doctl: [[/ (delete|destroy)\b/, CLOUD]],
    heroku: [[/^\S+:(destroy|reset)\b/, CLOUD]],
    fly: [
        [/ ?destroy\b/, CLOUD],
        [/^deploy\b/, PUBLISHES],
    ],
    vercel: [
        [/^(rm|remove)\b/, CLOUD],
        [/^(?:deploy\b|$)/, PUBLISHES],
    ],
    docker: [
        [
            /^(rm|rmi|system prune|volume (rm|prune)|image (rm|prune)|container (rm|prune))\b/,
            "deletes containers, images or volumes",
        ],
        [/^(stop|kill|restart|(container|compose) (stop|kill|down))\b/, "stops containers"],
        [/^push\b/, PUBLISHES],
    ],
    gh: [
        [/^\S+ delete\b/, "deletes on GitHub"],
        [
            /^(release|pr|issue|repo|gist) (create|edit|merge|comment|close)\b/,
            "publishes on GitHub",
        ],
    ],
    dropdb: [[/^/, DATABASE]],
    dropuser: [[/^/, DATABASE]],
    npm: [[/^(publish|unpublish|deprecate|dist-tag)\b/, PUBLISHES]],
    pnpm: [
        [/^(publish|unpublish)\b/, PUBLISHES],
        [/^dlx\b/, "downloads and runs"],
    ],
    yarn: [
        [/^(npm )?publish\b/, PUBLISHES],
        [/^dlx\b/, "downloads and runs"],
    ],
    bun: [[/^publish\b/, PUBLISHES]],
    cargo: [[/^(publish|yank)\b/, PUBLISHES]],
    poetry: [[/^publish\b/, PUBLISHES]],
    uv: [[/^publish\b/, PUBLISHES]],
    twine: [[/^upload\b/, PUBLISHES]],
    gem: [[/^(push|yank)\b/, PUBLISHES]],
    vsce: [[/^(publish|unpublish)\b/, PUBLISHES]],
    crontab: [[/ ?-r\b/, "deletes the crontab"]],
    apt: INSTALLED,
    "apt-get": INSTALLED,
    dnf: INSTALLED,
    yum: INSTALLED,
    brew: INSTALLED,
    userdel: [[/^/, "deletes a user"]],
};

const ALIASES: Readonly<Record<string, string>> = { podman: "docker", flyctl: "fly", k: "kubectl" };
/** Only asked for help, a version or what would happen. */
const HARMLESS = new Set(["--help", "--version", "--dry-run", "--dry-run=client", "-h"]);
const STATEMENTS = /\b(?:drop|delete\s+from|truncate|flushall|flushdb)\b/i;

/** What a program does that is known by its name and its first words. */
export function otherFacts({ name: called, args }: Call): readonly Fact[] {
    const name = Object.hasOwn(ALIASES, called) ? (ALIASES[called] ?? called) : called;
    if (args.some(({ text }) => HARMLESS.has(text))) return [];
    if (name === "kill") return sendsSignal(args.map(({ text }) => text)) ? [other(PROCESSES)] : [];
    if (name === "crontab") {
        return argumentsOf(args, "u").has("r") ? [other("deletes the crontab")] : [];
    }
    if (name.startsWith("mkfs.")) return [other(DISK)];
    if (name === "ssh") return remote(args.map(({ shown }) => shown));
    if (name === "scp" || name === "sftp") {
        return [other("copies files to or from another machine")];
    }
    if (/^(psql|mysql|mariadb|sqlite3|redis-cli|mongosh|mongo|clickhouse-client)$/.test(name)) {
        return args.some(({ text }) => STATEMENTS.test(text.slice(0, 10_000)))
            ? [other(DATABASE)]
            : [];
    }
    const table = Object.hasOwn(TABLES, name) ? (TABLES[name] ?? []) : [];
    const words = argumentsOf(args, VALUED).operands.slice(0, 6);
    const text = words.map((word) => word.text).join(" ");
    return table
        .filter(([pattern]) => pattern.test(text))
        .map(([, consequence]) => other(consequence));
}

/** Short options that take a value in front of a subcommand: `kubectl -n name delete`. */
const VALUED = "nCH";

/** `kill -0` only looks, `kill -l` only lists. */
function sendsSignal(args: readonly string[]): boolean {
    return args.length > 0 && !args.some((text) => /^-(?:0|l|L)$|^--(?:list|table)$/.test(text));
}

function remote(args: readonly string[]): readonly Fact[] {
    const valued = /^-[bcDEeFIiJLlmOopQRSWw]$/;
    const operands = args.filter(
        (text, index) => !text.startsWith("-") && !valued.test(args[index - 1] ?? "")
    );
    const [host] = operands;
    return host !== undefined && operands.length > 1 ? [other(`runs a command on ${host}`)] : [];
}
