# nix-build contrib/packaging
{ pkgs ? import <nixpkgs> { } }:
pkgs.rustPlatform.buildRustPackage {
  pname = "amdtriage";
  version = "0.2.0";
  src = ../..;
  cargoLock.lockFile = ../../Cargo.lock;
  buildFeatures = [ "columns" ];
  nativeBuildInputs = [ pkgs.installShellFiles ];
  # The tests of other programs' output need those programs.
  doCheck = false;
  postInstall = ''
    mkdir man && $out/bin/amdtriage man --dir man > /dev/null
    installManPage man/*
    for shell in bash zsh fish; do
      $out/bin/amdtriage completions $shell > amdtriage.$shell
    done
    installShellCompletion amdtriage.bash amdtriage.fish --zsh amdtriage.zsh
    install -Dm644 -t $out/lib/systemd/system contrib/systemd/*.service contrib/systemd/*.timer
    substituteInPlace $out/lib/systemd/system/*.service --replace-fail /usr/bin/amdtriage $out/bin/amdtriage
  '';
  meta.description = "Diagnose AMD GPU failures from Linux kernel logs";
  meta.license = with pkgs.lib.licenses; [ mit asl20 ];
  meta.mainProgram = "amdtriage";
}
