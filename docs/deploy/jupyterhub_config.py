"""A part of jupyterhub_config.py: the users of the hub ask one service, each with a token."""

from pathlib import Path

SERVICE = "https://survey.example.org"
TOKENS = Path("/etc/jupyterhub/audiencelab-tokens")  # a file for each user; chmod 600


def give_token(spawner):
    """The service and the user's token, as variables of the user's server and its kernels."""
    spawner.environment = {
        **spawner.environment,
        "AUDIENCELAB_BASE_URL": SERVICE,
        "AUDIENCELAB_TOKEN": (TOKENS / spawner.user.name).read_text().strip(),
    }


c = get_config()  # noqa: F821 -- JupyterHub defines it
c.Spawner.pre_spawn_hook = give_token
