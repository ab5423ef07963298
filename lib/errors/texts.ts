/**
 * What a person reads when a throw site says nothing more precise: one sentence, and one next
 * action. Every code of the wire and of the command line has both.
 */

/** User message and suggestion by code. */
export const DEFAULT_TEXTS: Readonly<Record<string, readonly [string, string] | undefined>> = {
  OP_NOT_FOUND: [
    "There is no such operation in the catalog.",
    "Look for it with `gum search <words>`.",
  ],
  INVALID_ARGS: [
    "The arguments of this call are not accepted.",
    "See the accepted arguments with `gum describe <op_id>`.",
  ],
  VARIANT_NOT_FOUND: [
    "The chosen variant of this operation does not exist.",
    "Leave the variant out, or use the one in superseded_by.",
  ],
  AMBIGUOUS_VARIANT: [
    "Several variants of this operation fit equally well.",
    "Choose one of the listed variants with variant_id.",
  ],
  VARIANT_QUARANTINED: [
    "This operation is quarantined and does not run.",
    "Look at `gum plugin list`, then try `gum plugin reload <id>` or `gum plugin unquarantine <id>`.",
  ],
  UNSUPPORTED_CAPABILITY: [
    "GUM cannot carry out what this call asks for.",
    "Choose another variant or another operation.",
  ],
  RISK_TOOL_MISMATCH: [
    "This operation belongs to another risk class.",
    "Call the tool named in required_tool.",
  ],
  POLICY_DENIED: [
    "The profile's policy does not allow this call.",
    "An operator can review the policy with `gum config`.",
  ],
  REQUIRES_CONFIRMATION: [
    "Nothing was done yet: this call must be confirmed.",
    "Repeat the same call with confirmed=true and the confirmation_token.",
  ],
  CONFIRMATION_TOKEN_INVALID: [
    "The confirmation does not fit this call, so nothing was done.",
    "Make the call without a token to get a fresh one.",
  ],
  AUTH_REQUIRED: [
    "This operation needs an account that is set up for it.",
    "Run the command in setup_command.",
  ],
  SCOPE_MISSING: [
    "The login does not cover what this operation needs.",
    "Run the command in setup_command.",
  ],
  SCOPE_GRANTED: [
    "The missing permission was granted; the operation has not run yet.",
    "Repeat the call.",
  ],
  AUTH_SUBJECT_MISMATCH: [
    "The credential belongs to another account than this profile.",
    "Run `gum login --switch-account` if the change is intended.",
  ],
  AUTH_KEYCHAIN_UNAVAILABLE: [
    "Neither the keychain nor the vault can be used to read credentials.",
    "Unlock the keychain, set up the vault, or run `gum auth use-adc`.",
  ],
  GUM_OAUTH_MANAGED_CLIENT_NOT_READY: [
    "GUM's own sign-in client is not available for this.",
    "Use a client of your own: `gum auth use-oauth-client`.",
  ],
  GUM_OAUTH_MANIFEST_INVALID: [
    "The sign-in manifest of this build cannot be used.",
    "Install GUM again.",
  ],
  CONFIG_SCHEMA_UNSUPPORTED: [
    "The configuration file was written by a newer GUM.",
    "Upgrade GUM.",
  ],
  CONFIG_PARSE_ERROR: [
    "The configuration file cannot be read.",
    "Correct the named line.",
  ],
  RATE_LIMITED: [
    "Too many calls in a short time.",
    "Wait as long as retry_after_ms says, or ask for fewer and smaller pages.",
  ],
  SERVICE_DOWN: [
    "The service did not answer as it should.",
    "Try again later; `gum doctor` checks this side.",
  ],
  UPSTREAM_REJECTED: [
    "Google refused the request.",
    "Read the message: the state or the sharing of the resource does not allow it.",
  ],
  RESOURCE_NOT_FOUND: [
    "There is nothing under that name.",
    "Check the id, for example with the matching list operation.",
  ],
  RESPONSE_TOO_LARGE: [
    "The answer is larger than GUM reads.",
    "Ask for less: a smaller --page-size, or only some --fields.",
  ],
  CANCELLED: ["The call was stopped before it ended.", "Repeat the call when you are ready."],
  LRO_TIMEOUT: [
    "The operation is still running.",
    "Poll again with the handle in resume_handle.",
  ],
  LRO_UNROUTABLE: [
    "There is no known place to ask about that operation.",
    "Give the full operation URL, or poll in the session that started it.",
  ],
  LRO_FAILED: [
    "The long-running operation ended with an error.",
    "Correct what the error names, then start it again.",
  ],
  LRO_UNSUPPORTED_IN_CODE: [
    "Long-running operations cannot be started inside a script.",
    "Call the operation as a tool, then follow it with gum.poll.",
  ],
  CODE_MODE_SYNTAX: [
    "The script does not compile.",
    "Correct the line that the error names.",
  ],
  CODE_MODE_RUNTIME: [
    "The script stopped with an error.",
    "Correct the line that the error names; completed_calls lists what was done.",
  ],
  CODE_MODE_TIMEOUT: [
    "The script took too long.",
    "Make it do less, or split it.",
  ],
  CODE_MODE_LIMIT: [
    "The script used more than it may.",
    "Make it smaller, or split it.",
  ],
  CODE_OUTPUT_LIMIT_EXCEEDED: [
    "The batch would return more than fits.",
    "Split the batch, or ask each call for less.",
  ],
  DESTRUCTIVE_BUDGET_EXCEEDED: [
    "The script tried more destructive calls than were approved.",
    "Confirm it again with a larger destructive_budget.",
  ],
  DESTRUCTIVE_SCOPE_MISMATCH: [
    "The script tried a destructive call outside its approved scope.",
    "Confirm it again with that operation in destructive_scope.",
  ],
  TEE_SECRET_CORRUPT: [
    "The secret that names kept results is damaged, so nothing was sent.",
    "Remove or rename the file in path; a new one is made.",
  ],
  RESULT_ARTIFACT_EXPIRED: [
    "The kept result is gone.",
    "Repeat the call that made it.",
  ],
  PROFILE_INVALID: [
    "An output profile is not valid.",
    "Run `gum profile validate <path>`.",
  ],
  ON_EMPTY_TOO_LONG: [
    "The on_empty text of an output profile is too long.",
    "Shorten on_empty.",
  ],
  PROFILE_TEE_MODE_CONFLICT: [
    "An output profile promises a recovery that its tee_mode prevents.",
    "Change tee_mode or recovery.",
  ],
  PROFILE_STRIP_NULLS_UNSAFE: [
    "An output profile strips nulls that mean something here.",
    "Remove strip_nulls, or name the safe fields in the catalog.",
  ],
  OVERRIDE_BINDING_INVALID: [
    "A profile binding names something that does not exist or does not fit.",
    "Correct the key that the error names.",
  ],
  PROJECT_ROOT_REQUIRED: [
    "It is not clear which project folder is meant.",
    "Set _meta.gumRoot to one of the negotiated roots.",
  ],
  TOON_VERSION_UNSUPPORTED: [
    "The TOON document has a version that this build does not read.",
    "Upgrade GUM, or the plugin that wrote it.",
  ],
  GAIN_DISABLED: [
    "Token accounting is switched off.",
    "Switch it on with `gum config set gain.enabled=true`.",
  ],
  GAIN_LEDGER_UNAVAILABLE: [
    "The ledger of token accounting cannot be used.",
    "Check the data directory that the error names.",
  ],
  UNKNOWN_SKILL: ["There is no skill of that name.", "List them with skills_list."],
  UNKNOWN_SKILL_VERSION: [
    "That skill does not exist in this version.",
    "List the versions with skills_list.",
  ],
  PLUGIN_EXECUTABLE_UNTRUSTED: [
    "The plugin's program is not the one that was installed.",
    "Install the plugin again, then run `gum plugin reload <id>`.",
  ],
  PLUGIN_BINDING_INVALID: [
    "The plugin does not offer the tool that its operation names.",
    "Install a version of the plugin that fits its manifest.",
  ],
  PLUGIN_SANDBOX_UNSUPPORTED: [
    "This machine cannot confine the plugin as it must be.",
    "Install what the error lists as missing.",
  ],
  PLUGIN_FS_WRITE_OUTSIDE_SANDBOX: [
    "The plugin asks to write outside its own folder.",
    "Use a write directory inside the plugin's folder.",
  ],
  PLUGIN_REGISTRY_INCONSISTENT: [
    "The plugin registry is incomplete.",
    "Install one plugin again to repair it.",
  ],
  PROFILE_NAME_INVALID: [
    "That is not a possible profile name.",
    "Use letters, digits, `-` and `_`.",
  ],
  HOME_UNRESOLVED: [
    "No home directory is known.",
    "Set HOME, or the XDG directories.",
  ],
  CLI_ARG_INVALID: [
    "The command line is not accepted.",
    "Add --help to the command to see what it takes.",
  ],
  CLI_ARG_DUPLICATE: [
    "An argument is given twice.",
    "Give it once.",
  ],
  PROFILE_NO_FIXTURES: [
    "The output profile has no tests to run.",
    "Add [[tests]] to the profile.",
  ],
  PROFILE_FIXTURE_FAILED: [
    "A test of the output profile fails.",
    "Compare what the report shows, then correct the profile or the test.",
  ],
  PROFILE_GOLDEN_MISMATCH: [
    "The shaped output differs from the stored one.",
    "Review the difference; store the new output if it is intended.",
  ],
  GAIN_FIXTURE_SET_MISSING: [
    "The recorded calls for the replay are not there.",
    "Give the folder that holds them.",
  ],
  GAIN_FIXTURE_SCHEMA_DRIFT: [
    "The recorded calls have another format than this build reads.",
    "Record them again.",
  ],
  GAIN_FIXTURE_BASELINE_MISMATCH: [
    "The replay does not give the recorded baseline.",
    "Review the difference; record the baseline again if it is intended.",
  ],
  CACHE_CORRUPT: [
    "The response cache is damaged.",
    "Rebuild it with `gum cache migrate --force`.",
  ],
  CACHE_SCHEMA_UNSUPPORTED: [
    "The response cache was written by another version.",
    "Rebuild it with `gum cache migrate --force`.",
  ],
  CACHE_STORE_FAILED: ["The response cache could not be changed.", "Try again."],
  PLUGIN_MANIFEST_NOT_FOUND: [
    "There is no plugin manifest there.",
    "Name a folder or archive that holds one.",
  ],
  PLUGIN_MANIFEST_INVALID: [
    "The plugin manifest is not valid.",
    "Correct the field that the error names.",
  ],
  PLUGIN_MANIFEST_SCHEMA_UNSUPPORTED: [
    "The plugin manifest has a version that this build does not read.",
    "Upgrade GUM, or use an older release of the plugin.",
  ],
  PLUGIN_SHAPE_UNSUPPORTED: [
    "Plugins of that shape cannot be installed.",
    "Use a plugin that speaks MCP.",
  ],
  PLUGIN_CATALOG_SCHEMA_UNSUPPORTED: [
    "The plugin catalog was written by a newer GUM.",
    "Upgrade GUM.",
  ],
  PLUGIN_LOCK_SCHEMA_UNSUPPORTED: [
    "The plugin lock file was written by a newer GUM.",
    "Upgrade GUM.",
  ],
  PLUGIN_STATE_SCHEMA_UNSUPPORTED: [
    "The plugin state file was written by a newer GUM.",
    "Upgrade GUM.",
  ],
  PLUGIN_ENV_PROHIBITED: [
    "The plugin asks for an environment variable that it may not have.",
    "Declare the credential in auth_components instead.",
  ],
  PLUGIN_CREDENTIAL_DESCRIPTOR_INVALID: [
    "A credential that the plugin declares is not described correctly.",
    "Correct the descriptor that the error names.",
  ],
  PLUGIN_NAMESPACE_CONFLICT: [
    "Another plugin owns that operation prefix.",
    "Rename the prefix, or move it with `gum plugin transfer-namespace`.",
  ],
  PLUGIN_PREFIX_NOT_BOUND: [
    "No plugin owns that operation prefix.",
    "See who owns what with `gum plugin list`.",
  ],
  PLUGIN_SCHEMA_REF_INVALID: [
    "The plugin names a schema in a way that is not allowed.",
    "Correct the reference that the error names.",
  ],
  SCHEMA_REF_COLLISION: [
    "Two different schemas have the same reference.",
    "Give one of them a new version.",
  ],
  PLUGIN_INSTALL_LOCK_TIMEOUT: [
    "Another installation is still running.",
    "Try again in a moment.",
  ],
  UNKNOWN_CAPABILITY: [
    "An operation declares a capability that GUM does not know.",
    "Use a known capability, or an x- name with execution_support schema_only.",
  ],
  UNKNOWN_BACKEND_KIND: [
    "An operation declares a backend that GUM does not know.",
    "Use a known backend kind.",
  ],
  UNKNOWN_INTERFACE_KIND: [
    "An operation declares an interface that GUM does not know.",
    "Use a known interface kind.",
  ],
  AUTH_COMPONENT_UNKNOWN: [
    "An operation declares a credential part that GUM does not know.",
    "Use a known kind, or an x- name.",
  ],
  BINDING_SCHEMA_UNSUPPORTED: [
    "An operation's binding has a version that this build does not read.",
    "Upgrade GUM.",
  ],
  SERVICE_ROOT_TEMPLATE_DEFERRED: [
    "An operation's address depends on a template that is not supported.",
    "Declare the full address.",
  ],
  AUTH_MANAGED_SCOPES_NOT_FOUND: [
    "The list of managed scopes is not there.",
    "Give its path.",
  ],
  AUTH_MANAGED_SCOPES_INVALID: [
    "The list of managed scopes is not valid.",
    "Correct the file that the error names.",
  ],
};
