/** `gum completion <shell>`: four small scripts around `gum __complete` (spec 08 §7, 12 §5). */

import { invalidArg, UsageError } from "./errors.ts";
import type { CommandContext } from "./types.ts";

/** Shells with a script. */
export type Shell = "bash" | "zsh" | "fish" | "powershell";

/** Runs `gum completion`. */
export function runCompletion({ words, flags, host }: CommandContext): Promise<void> {
  const shell = words[0] ?? "";
  if (!Object.hasOwn(SCRIPTS, shell)) {
    throw invalidArg(shell, `accepted: ${Object.keys(SCRIPTS).join(", ")}`);
  }
  if (words[1] !== undefined) {
    throw new UsageError(`unexpected argument ${JSON.stringify(words[1])}`);
  }
  host.stdout.write(completionScript(shell as Shell, !flags.on("no-descriptions")));
  return Promise.resolve();
}

/** The script of a shell. */
export function completionScript(shell: Shell, descriptions: boolean): string {
  return SCRIPTS[shell](descriptions ? "__complete" : "__completeNoDesc");
}

// Words travel as an array and are never evaluated: a half-typed $(…) must not run on TAB.
// In bash, = and : split words (COMP_WORDBREAKS): pieces that touch in the line are joined again,
// and the part before the last break is cut off the candidates.
const SCRIPTS: Record<Shell, (responder: string) => string> = {
  bash: (responder) =>
    String.raw`# bash completion for gum
__gum_words() {
  local line=${"$"}{COMP_LINE:0:COMP_POINT} piece index
  __gum_typed=()
  for (( index = 0; index <= COMP_CWORD; index++ )); do
    piece=${"$"}{COMP_WORDS[index]}
    if (( index > 0 )) && [[ ${"$"}line != [[:space:]]* ]]; then
      (( index == COMP_CWORD )) && piece=${"$"}line
      __gum_typed[${"$"}{#__gum_typed[@]}-1]+=${"$"}piece
    else
      line=${"$"}{line#"${"$"}{line%%[![:space:]]*}"}
      (( index == COMP_CWORD )) && piece=${"$"}line
      __gum_typed+=("${"$"}piece")
    fi
    line=${"$"}{line#"${"$"}piece"}
  done
}
__gum_complete() {
  local line directive=0 last cut='' __gum_typed
  COMPREPLY=()
  __gum_words
  last=${"$"}{__gum_typed[${"$"}{#__gum_typed[@]}-1]}
  [[ ${"$"}last == *[=:]* && ${"$"}COMP_WORDBREAKS == *[=:]* ]] && cut=${"$"}{last%"${"$"}{last##*[=:]}"}
  while IFS= read -r line; do
    case ${"$"}line in
      :[0-9]*) directive=${"$"}{line#:} ;;
      *) line=${"$"}{line%%${"$"}'\t'*}; COMPREPLY+=("${"$"}{line#"${"$"}cut"}") ;;
    esac
  done < <("${"$"}{COMP_WORDS[0]}" ${responder} "${"$"}{__gum_typed[@]:1}" 2>/dev/null)
  (( directive & 2 )) && compopt -o nospace 2>/dev/null
  (( directive & 4 )) && compopt +o default 2>/dev/null
  return 0
}
complete -o default -F __gum_complete gum
`,
  zsh: (responder) =>
    String.raw`#compdef gum
_gum() {
  local line directive=0 value text
  local -a values texts options
  for line in "${"$"}{(@f)$("${"$"}{words[1]}" ${responder} "${"$"}{(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ ${"$"}line == :<-> ]]; then directive=${"$"}{line#:}; continue; fi
    [[ -z ${"$"}line ]] && continue
    value=${"$"}{line%%${"$"}'\t'*}
    text=${"$"}value
    [[ ${"$"}line == *${"$"}'\t'* ]] && text="${"$"}value  -- ${"$"}{line#*${"$"}'\t'}"
    values+=("${"$"}value")
    texts+=("${"$"}text")
  done
  (( directive & 2 )) && options=(-S '')
  if (( ${"$"}{#values} )); then
    compadd -l ${"$"}options -d texts -- "${"$"}{values[@]}"
  elif ! (( directive & 4 )); then
    _files
  fi
}
if [ "${"$"}funcstack[1]" = "_gum" ]; then
  _gum "$@"
else
  compdef _gum gum
fi
`,
  fish: (responder) =>
    String.raw`# fish completion for gum
function __gum_complete
  set -l typed (commandline -opc) (commandline -ct)
  set -l program ${"$"}typed[1]
  set -e typed[1]
  set -l directive 0
  set -l found 0
  for line in (${"$"}program ${responder} ${"$"}typed 2>/dev/null)
    if string match -qr '^:[0-9]+${"$"}' -- ${"$"}line
      set directive (string sub -s 2 -- ${"$"}line)
    else
      set found 1
      echo ${"$"}line
    end
  end
  if test ${"$"}found -eq 0; and test (math "floor(${"$"}directive / 4) % 2") -eq 0
    __fish_complete_path (commandline -ct)
  end
end
complete -c gum -f -a '(__gum_complete)'
`,
  powershell: (responder) =>
    String.raw`# PowerShell completion for gum
Register-ArgumentCompleter -Native -CommandName gum -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $typed = @()
  foreach ($element in $commandAst.CommandElements) {
    if ($element.Extent.StartOffset -ge $cursorPosition) { break }
    $text = $element.Extent.Text
    if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
      $text = $element.Value
    }
    $typed += $text
  }
  if ($typed.Count -gt 1) { $typed = @($typed[1..($typed.Count - 1)]) } else { $typed = @() }
  if ($wordToComplete -eq '') {
    # Before 7.3 an empty argument got lost on its way to a program.
    if ($PSVersionTable.PSVersion -lt [version]'7.3') { $typed += '""' } else { $typed += '' }
  }
  $directive = 0
  $lines = & gum ${responder} @typed 2>$null
  $results = @()
  foreach ($line in $lines) {
    if ($line -match '^:(\d+)$') { $directive = [int]$Matches[1]; continue }
    $value, $text = $line -split "` + "`t" + String.raw`", 2
    if (-not $text) { $text = $value }
    $word = $value
    if ($value -match '[^\w./:=+-]') { $word = "'" + $value.Replace("'", "''") + "'" }
    $results += [System.Management.Automation.CompletionResult]::new(
      $word, $value, 'ParameterValue', $text)
  }
  # An empty answer keeps the shell from completing file names.
  if ($results.Count -eq 0 -and ($directive -band 4)) { return '' }
  $results
}
`,
};
