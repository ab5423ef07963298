# Installs gum on Windows from its releases: fetches the archive, verifies its checksum, and puts
# gum.exe into a folder of yours. Variables and exit codes are those of install.sh.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

$repository = '@REPOSITORY@'
$releases = if ($env:GUM_RELEASES) { $env:GUM_RELEASES } else { "https://github.com/$repository/releases" }
$prefix = if ($env:GUM_PREFIX) { $env:GUM_PREFIX } else { Join-Path $env:LOCALAPPDATA 'Programs\gum' }
$program = if ($env:GUM_SANDBOXED -eq '1') { 'gum-sandboxed' } else { 'gum' }

function Stop-Install([int] $Code, [string] $Message) {
  [Console]::Error.WriteLine("install: $Message")
  exit $Code
}

if ($releases -notmatch '^(https://|http://127\.0\.0\.1:)') {
  Stop-Install 1 'GUM_RELEASES must be an https address'
}
if ($env:PROCESSOR_ARCHITECTURE -ne 'AMD64') {
  Stop-Install 2 "there is no build for $env:PROCESSOR_ARCHITECTURE"
}

$version = $env:GUM_VERSION
if (-not $version) {
  $answer = Invoke-RestMethod -Uri "$releases/latest" -Headers @{ Accept = 'application/json' }
  $version = $answer.tag_name
}
if ($version -notmatch '^v') { $version = "v$version" }
if ($version -notmatch '^v[0-9]+\.[0-9]+\.[0-9]+$') { Stop-Install 1 "$version is no release" }

$archive = "${program}_$($version.Substring(1))_windows_amd64.zip"
$target = Join-Path $prefix "$program.exe"
$other = Get-Command $program -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
if ($other -and $other.Source -ne $target -and $env:GUM_FORCE -ne '1') {
  Stop-Install 5 "$($other.Source) comes first on the PATH; remove it, or set GUM_FORCE=1"
}
if ($env:GUM_DRY_RUN -eq '1') {
  [Console]::Error.WriteLine("would install $releases/download/$version/$archive as $target")
  exit 0
}

$work = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
New-Item -ItemType Directory -Path $work | Out-Null
try {
  $file = Join-Path $work $archive
  Invoke-WebRequest -UseBasicParsing -Uri "$releases/download/$version/$archive" -OutFile $file
  if ($env:GUM_SKIP_CHECKSUM -ne '1') {
    $list = Join-Path $work 'checksums.txt'
    try {
      Invoke-WebRequest -UseBasicParsing -Uri "$releases/download/$version/checksums.txt" -OutFile $list
    } catch {
      Stop-Install 3 'the list of checksums cannot be fetched'
    }
    $expected = Get-Content $list | Where-Object { ($_ -split '\s+')[1] -eq $archive } |
      ForEach-Object { ($_ -split '\s+')[0] }
    if (-not $expected) { Stop-Install 3 "the list of checksums does not name $archive" }
    if ((Get-FileHash -Algorithm SHA256 $file).Hash -ne $expected) {
      Stop-Install 3 "$archive is not the file that was released; nothing was installed"
    }
  }
  Expand-Archive -Path $file -DestinationPath $work
  New-Item -ItemType Directory -Force -Path $prefix | Out-Null
  Move-Item -Force (Join-Path $work "$program.exe") $target
  [Console]::Error.WriteLine("installed $target ($version)")
  if (($env:PATH -split ';') -notcontains $prefix) {
    [Console]::Error.WriteLine("add $prefix to your PATH")
  }
} finally {
  Remove-Item -Recurse -Force $work
}
