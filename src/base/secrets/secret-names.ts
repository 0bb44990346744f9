/**
 * What a file's name says: a `secret`; a `secret-or-program`; `keys`, public or private; `settings`,
 * which may hold a credential; or nothing.
 */
type NameVerdict = "secret" | "secret-or-program" | "keys" | "settings" | "ordinary";

/** What editors and people add to the name of a copy. */
const COPY =
    /(?:~|[._-](?:bak|backup|old|orig|original|save|saved|sw[a-p]|tmp|temp|rej|copy|disabled|off|prev|previous)|\.\d{1,8}| \(\d{1,3}\)| copy)$/;

/** Templates that people commit to document what is expected. */
const EXAMPLE =
    /(?:^|[._-])(?:example|sample|template|dist|defaults|schema|tmpl|tpl|dummy)(?:[._-]|$)/;

/** What runs an environment: `env.production`. */
const STAGE =
    /^(?:prod|production|dev|devel|development|local|stag(?:e|ing)|test|testing|qa|uat|live|ci|docker|preview|sandbox|private|shared)$/;

/** Files that hold data; a secret in a program is found by its value. */
const DATA =
    /^(?:|json[c5]?|ya?ml|toml|ini|cfg|conf|config|properties|props|txt|text|xml|plist|csv|tsv|env|enc|b64|dat|data|db|sqlite3?|zip|tar|t?gz|rc|local|private|key|prod|production|dev|staging)$/;

const STORE =
    /^(?:p12|pfx|pkcs12|ppk|p8|jks|jceks|keystore|bks|kdbx?|keytab|ovpn|psafe3|keychain(?:-db)?|tfvars|tfstate|kubeconfig|agekey|mobileprovision|sopskey|env|htpasswd)$/;

const KEYS = /^(?:pem|key|crt|cer|cert|der|asc|gpg|pgp|kbx)$/;

/** Known by their whole name. */
const KNOWN =
    /^(?:[._]netrc|\.(?:pgpass|pypirc|htpasswd|dockercfg|my\.cnf|mylogin\.cnf|s3cfg|boto|git-credentials|vault-token|terraformrc|flaskenv|yarnrc-credentials)|\.dev\.vars(?:\..*)?|pgpass\.conf|terraform\.rc|kubeconfig|auth\.json|local\.settings\.json|passwords?\.(?:txt|csv|json|ya?ml)|\.(?:bash|zsh|sh|fish|python|node_repl|psql|mysql|sqlite|rediscli|irb)_history|shadow-?|gshadow-?)$/;

/** Settings of programs that may hold a credential. */
const SETTINGS =
    /^(?:\.?(?:npmrc|yarnrc|yarnrc\.yml|gitconfig|curlrc|wgetrc|condarc|pnpmrc|bunfig\.toml|pydistutils\.cfg|gemrc|m2)|pip\.conf|gradle\.properties|settings(?:-security)?\.xml|init\.gradle(?:\.kts)?|nuget\.config|.*tokens?\.(?:json|ya?ml|toml|ini|txt)|\.tokens?|.*[._-]key\.json)$/;

/** In a tool's own folder, such as `.wasmer/wasmer.toml`. */
const TOOL_SETTINGS =
    /(?:^|\/)\.config\/(?:go\/env|pnpm\/rc|uv\/uv\.toml)$|(?:^|\/)\.(?!git\/)([^/]+)\/(?:init\.d\/[^/]+\.gradle(?:\.kts)?|(?:config|settings|hosts|profiles?|contexts?|accounts?|auth|session|state|\1)\.(?:json|ya?ml|toml|ini|conf|cfg|xml)|config|session|auth)$/;

/** Folders of secrets, wherever they are, except what is public in them. */
const STORES =
    /(?:^|\/)(?:\.ssh|\.gnupg|\.password-store|\.aws\/(?:sso|cli)|\.config\/(?:gcloud|rclone)|\.azure|\.kube\/cache|\.docker\/contexts|x509stores|keystores?|system-connections|ssl\/private)\//;
const STORED =
    /(?:^|\/)(?:\.aws\/[^/.]+|\.kube\/[^/.]+|\.docker\/config\.json|\.config\/gh\/hosts\.yml|\.gem\/credentials)$/;
const PUBLIC = /\.pub$|^(?:known_hosts|authorized_keys|readme)/;

/** Folders named for what is in them. */
const SECRET_FOLDERS = /(?:^|\/)(?:\.?secrets?|\.envs?|\.?credentials)\/(?:.*\/)?[^/]*$/;

const PRIVATE_KEY =
    /(?:^|[._-])(?:rsa|dsa|ecdsa|ed25519)$|(?:^|[._-])(?:deploy|ssh|private|priv|signing|master|host|encryption|server|client)[._-]?key$/;

const SECRET_WORD =
    /secret|credential|adminsdk|(?:^|[._-])creds?(?:[._-]|$)|service[_-]?account|^htpasswd$/;

/** A cheap first look, because most names have nothing of this. */
const HINT =
    /[~#]|env|sec|cred|tok|key|pem|auth|rc\b|netrc|pass|conf|cnf|hosts|hist|vars|tf|p12|pfx|p8|ppk|jks|bks|kdb|kbx|ovpn|shadow|account|id_|[dr]sa|25519|gpg|pgp|asc$|c[er]r?t?$|der$|docker|s3cfg|boto|settings|gradle|adminsdk|psafe|mobileprov|jceks|store|xml|cfg|m2$/;

/** Judges a name; `path` may have folders, separated by slashes. */
export function judgeName(path: string): NameVerdict {
    const lower = path.toLowerCase();
    const last = lower.slice(lower.lastIndexOf("/") + 1);
    const isInStore = STORES.test(lower) || STORED.test(lower);
    const isInSecrets = SECRET_FOLDERS.test(lower);
    const isInTool = TOOL_SETTINGS.test(lower);
    if (!isInStore && !isInSecrets && !isInTool && !HINT.test(last)) return "ordinary";
    const name = originalName(last);
    if (PUBLIC.test(name)) return "ordinary";
    if (isInStore) return "secret";
    const dot = name.lastIndexOf(".");
    const extension = dot > 0 ? name.slice(dot + 1) : "";
    const stem = dot > 0 ? name.slice(0, dot) : name;
    if (STORE.test(extension) && !EXAMPLE.test(stem)) return "secret";
    if (KEYS.test(extension)) return "keys";
    if (EXAMPLE.test(name)) return "ordinary";
    if (KNOWN.test(name) || isEnvironment(name, stem, extension)) return "secret";
    if (/^id_(?:rsa|dsa|ecdsa|ed25519|xmss)/.test(name)) return "secret";
    if (extension === "" && PRIVATE_KEY.test(name)) return "secret";
    if (SETTINGS.test(name)) return "settings";
    if (DATA.test(extension)) {
        const isSecret = isInSecrets && !/^(?:pyvenv\.cfg|lib64|\.git\w+)$/.test(name);
        // `git-credential-store` is a program.
        if (isSecret || SECRET_WORD.test(name)) return extension ? "secret" : "secret-or-program";
    }
    return isInTool ? "settings" : "ordinary";
}

/** The name of what a backup, a swap file or an editor's lock is a copy of. */
function originalName(name: string): string {
    const swap = /^\.(.+)\.sw[a-p]$/.exec(name)?.[1];
    let original = swap ?? name.replace(/^\.?#(.+?)#?$/, "$1").replace(/^copy of /, "");
    for (let before = ""; before !== original && !/^\.env\.\w+$/.test(original);) {
        before = original;
        original = original.replace(COPY, "") || original;
    }
    return original;
}

/** `.env`, `.env_prod`, `.envrc`, `env.production`; not `.env.d.ts`. */
function isEnvironment(name: string, stem: string, extension: string): boolean {
    if (/^\.env(?:rc|s|ironment)?(?![a-z])/.test(name)) return !name.endsWith(".d.ts");
    const [first, ...rest] = name.split(/[._-]/);
    const stage = rest.at(-1) ?? "";
    return (first === "env" && STAGE.test(stage)) || (stem === "env" && STAGE.test(extension));
}
