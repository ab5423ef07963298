# frozen_string_literal: true

# Does with a formula what the package manager does: picks the archive of this machine, verifies it
# against a folder of archives, unpacks it, runs `install` into a prefix, and runs the `test` block.
#
#   ruby formula_smoke.rb gum.rb FOLDER_OF_ARCHIVES PREFIX OS ARCH

require "digest"
require "fileutils"
require "open3"

FORMULA, ARCHIVES, PREFIX, SYSTEM, PROCESSOR = ARGV

# A folder of the prefix that takes files, under another name if one is given.
class Place
  def initialize(path) = @path = path

  def install(what)
    what = { what => File.basename(what) } unless what.is_a?(Hash)
    FileUtils.mkdir_p(@path)
    what.each { |from, to| FileUtils.cp(from, File.join(@path, to), preserve: true) }
  end

  def to_s = @path
end

# As much of the real class as the formula uses; an unknown word fails.
class Formula
  class << self
    attr_reader :facts, :test_block

    def inherited(child)
      super
      child.instance_variable_set(:@facts, {})
      @last = child
    end

    attr_reader :last

    %i[desc homepage version license url sha256].each do |word|
      define_method(word) { |value| @facts[word] = value }
    end

    def on_macos = (yield if SYSTEM == "darwin")
    def on_linux = (yield if SYSTEM == "linux")
    def on_arm = (yield if PROCESSOR == "arm64")
    def on_intel = (yield if PROCESSOR == "amd64")
    def test(&block) = @test_block = block
  end

  def version = self.class.facts.fetch(:version)
  def bin = Place.new("#{PREFIX}/bin")
  def bash_completion = Place.new("#{PREFIX}/etc/bash_completion.d")
  def zsh_completion = Place.new("#{PREFIX}/share/zsh/site-functions")
  def fish_completion = Place.new("#{PREFIX}/share/fish/vendor_completions.d")
  def doc = Place.new("#{PREFIX}/share/doc/gum")

  def shell_output(command)
    text, status = Open3.capture2(command)
    raise "#{command} ended with #{status.exitstatus}" unless status.success?

    text
  end

  def assert_equal(expected, actual)
    raise "expected #{expected.inspect}, got #{actual.inspect}" unless expected == actual
  end
end

load FORMULA
formula = Formula.last
archive = File.join(ARCHIVES, File.basename(formula.facts.fetch(:url)))
sum = Digest::SHA256.file(archive).hexdigest
raise "#{archive} has the checksum #{sum}" unless sum == formula.facts.fetch(:sha256)

work = File.join(PREFIX, "work")
FileUtils.mkdir_p(work)
system("tar", "-xzf", archive, "-C", work, exception: true)
Dir.chdir(work) { formula.new.install }
formula.new.instance_eval(&formula.test_block)
puts "ok #{formula.facts.fetch(:version)}"
